# Runs tools/command.mjs on the pinned Node.js: `sh tools/command.sh start`.
PATH=$(node tools/bootstrap.mjs "$@") && exec node tools/command.mjs "$@"
