# Dropgate in a container: what the Debian package installs, on a slim base, no root, nothing written outside of /data.
#   docker build -t dropgate .
#   docker run --memory 3g --pids-limit 256 --read-only --tmpfs /tmp -v dropgate-data:/data -v ./dropgate.yaml:/etc/dropgate/dropgate.yaml:ro -p 2222:2222 dropgate
#
# The page is on 127.0.0.1:8082 inside, and has no port here: docs/install.md says how to open it.
#
# The bases go by tag. To pin one, write what this prints behind its tag, as in node:24-bookworm-slim@sha256:…; to renew it, ask again:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'

FROM node:24-bookworm-slim AS build
# For the package, and for ssh2's crypto add-on: about half the CPU of SFTP.
RUN apt-get update && apt-get install --yes --no-install-recommends dpkg-dev g++ make python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/dropgate
COPY package.json package-lock.json .npmrc ./
COPY src/postinstall.mjs src/node-version.cjs src/object-wrap.h src/
RUN npm ci
COPY README.md CHANGELOG.md ./
COPY config config
COPY docs docs
COPY src src
COPY systemd systemd
COPY test/fixtures/invoice.xml test/fixtures/
COPY test/package test/package
# The time of every file, in seconds since 1970: with the same one an image can be built again.
ARG SOURCE_DATE_EPOCH=0
RUN npm run package:deb -- /package && dpkg-deb --extract /package/*.deb /image

FROM debian:bookworm-slim
RUN useradd --system --uid 2222 --home-dir /data --shell /usr/sbin/nologin dropgate && install --directory --owner=dropgate --group=dropgate --mode=0750 /data
COPY --from=build /image /
COPY config/container.yaml /etc/dropgate/dropgate.yaml
# What Node compiles for commands is kept for the next one.
RUN dropgate status --help >/dev/null
# As in the unit of systemd: freed memory goes back.
ENV MALLOC_TRIM_THRESHOLD_=2097152 MALLOC_MMAP_THRESHOLD_=1048576
USER dropgate
WORKDIR /data
VOLUME /data
EXPOSE 2222
# SIGTERM drains within shutdown.drain (30s): docker stop --time 45
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["dropgate", "health", "--config", "/etc/dropgate/dropgate.yaml"]
ENTRYPOINT ["dropgate"]
CMD ["serve", "--config", "/etc/dropgate/dropgate.yaml"]
