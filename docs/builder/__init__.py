"""How `docs/reference` is written: from manifests, docstrings and signatures, read as text; no plugin is imported."""
