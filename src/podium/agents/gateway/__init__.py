"""The model gateway: a reverse proxy that alone holds the real key, counts tokens and enforces
budgets.

`gateway.Gateway` admits dispatches; `shapes` only reads what passes through. Modules that import
just the values (`providers`, `counting`, `budgets`) need none of its
packages.
"""
