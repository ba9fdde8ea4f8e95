"""Suggesting."""
