"""Sphinx settings: `sphinx-build -W -b html docs docs/_build`."""  # noqa: INP001 - a script of the documentation

project = "Coach"
author = "the authors of Coach"
project_copyright = "the authors of Coach; Apache-2.0"

extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
language = "en"
smartquotes = False  # a formula's prime is no quotation mark

html_theme = "alabaster"
html_theme_options = {"description": "Reinforcement learning in which every part is a plugin", "page_width": "64rem"}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_show_sourcelink = False
