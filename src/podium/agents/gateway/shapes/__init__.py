"""What passes through, read: which model is asked, what an answer cost, how a refusal looks. Pure."""
