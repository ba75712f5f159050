# Image of one machine of the database: Debian's PostgreSQL under Patroni.
#   docker build -f packaging/cluster/database.Dockerfile -t wallet-rpc-database packaging/cluster
FROM debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241
RUN apt-get update \
  && apt-get install -y --no-install-recommends patroni postgresql-15 \
  && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/15 \
  && install -d -o postgres -g postgres -m 0700 /data
COPY patroni.yml post-init.sh /etc/wallet-rpc/
ENV PATRONI_POSTGRESQL_DATA_DIR=/data/postgresql \
  PATRONI_POSTGRESQL_BIN_DIR=/usr/lib/postgresql/15/bin \
  PATRONI_POSTGRESQL_LISTEN=0.0.0.0:5432 \
  PATRONI_RESTAPI_LISTEN=0.0.0.0:8008
USER postgres
WORKDIR /data
VOLUME /data
EXPOSE 5432 8008
ENTRYPOINT ["patroni", "/etc/wallet-rpc/patroni.yml"]
