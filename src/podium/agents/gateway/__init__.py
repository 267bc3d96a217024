"""The model gateway: a reverse proxy that alone holds the real key, counts tokens, and ends what has used up its budget.

`gateway.Gateway` admits dispatches; `shapes` reads what passes through, and does nothing else. Who imports only
values (`providers`, `counting`, `budgets`) needs none of the packages of the extra `gateway`.
"""
