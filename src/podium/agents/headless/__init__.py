"""Known agents without a protocol of ours: one program for each dispatch, read line by line as its vendor prints."""
