"""A model that plays a script over real wire formats, so that agents can be tested offline.

`server.ScriptedModel` is the server; `script` defines what can be played, `script_file` reads it
from data, `standard` contains the scripts that every agent is tested with.
"""
