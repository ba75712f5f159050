# Image of Debian's etcd.
FROM debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241
RUN apt-get update \
  && apt-get install -y --no-install-recommends etcd-server \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o etcd -g etcd -m 0700 /data
ENV ETCD_DATA_DIR=/data
USER etcd
VOLUME /data
EXPOSE 2379 2380
ENTRYPOINT ["etcd"]
