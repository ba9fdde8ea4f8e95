"""The app where people sign in, with a real OpenID provider in a process of its own."""
