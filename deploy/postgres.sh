#!/bin/sh
# PostgreSQL of compose.yaml: makes the database at the first start, and takes no connections but those of the socket.
set -eu
folder=/var/lib/postgresql
programs=$(echo /usr/lib/postgresql/*/bin)
# PostgreSQL's own lock compares process ids, which say nothing in another container.
exec 9> $folder/lock
flock --nonblock 9 || { echo "Another container runs on this database: stop it first." >&2; exit 78; }
if [ ! -e $folder/data ]; then
  rm -rf $folder/data.new
  "$programs/initdb" --pgdata=$folder/data.new --auth=peer --encoding=UTF8 --locale=C.UTF-8 --data-checksums
  printf 'create role cellhop login\ncreate database cellhop owner cellhop\n' |
    "$programs/postgres" --single -D $folder/data.new postgres > /dev/null
  mv $folder/data.new $folder/data
fi
exec "$programs/postgres" -D $folder/data -c listen_addresses= -c unix_socket_directories=/run/postgresql
