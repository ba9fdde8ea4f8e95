"""Schemas: dataclasses and registries go in; JSON Schemas of the project file and of every `--json` come out.

They are published as the files in `files/`, for editors and programs.
"""

from __future__ import annotations

from mandoline_core.schemas.published import PROJECT, make_schema, read_schema, schema_names, write_schemas
