#!/bin/sh
# Stands in for your own job, so that the first command of the README runs as it is written.
echo "report: running under lock '${HOLDFAST_LOCK:-none}' with token ${HOLDFAST_TOKEN:-none}"
