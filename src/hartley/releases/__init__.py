"""From a partition to what can be published: codebook, policy, certificate and record, and the files.

Read ``codebook`` first (what stands in the file for each cluster), then ``policy`` (everything needed to
release the same way again) and ``certificate`` (what may be published about it). ``rows`` says what readers
see in each row, ``writer`` makes the files, ``export`` says a policy in other languages, ``apply`` takes it
to new data.
"""
