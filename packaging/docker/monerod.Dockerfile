# Image of the Monero daemon of Debian.
FROM debian:trixie-slim@sha256:3a39a0592364683e6bab97937b72cad5a8fa6dcbbee90edb3bb48c7f8e94f258
RUN apt-get update \
  && apt-get install -y --no-install-recommends monero ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o nobody -g nogroup -m 0700 /chain
USER nobody
VOLUME /chain
EXPOSE 18080 18081 18083
ENTRYPOINT ["monerod", "--non-interactive", "--data-dir=/chain"]
