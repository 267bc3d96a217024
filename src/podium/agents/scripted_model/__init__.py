"""A model that plays a script, spoken to in the wire formats of real ones: agents are tested against it, offline.

`server.ScriptedModel` is the server; `script` says what can be played, `script_file` reads it from data,
`standard` holds the scripts that every agent is tried with.
"""
