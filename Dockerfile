# The service as an image: Node, the production packages, the sources, and nothing else.
#   docker build -t payment-session-service .
# BASE has Node 26 or newer, npm and a shell; RUNTIME needs Node alone (a distroless image will do). Pin both by digest.
ARG BASE=docker.io/library/node:26-bookworm-slim
ARG RUNTIME=${BASE}

FROM ${BASE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Neither development packages nor optional ones (the embedded PostgreSQL, a Node for staging), and no install scripts.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-progress
# The bill of materials, of what was installed: `npm sbom --omit` leaves out what a development package needs as well.
RUN cp package.json /tmp/ && npm pkg delete devDependencies optionalDependencies \
 && npm sbom --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json && mv /tmp/package.json .
# A third of it that nothing loads.
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
COPY LICENSE ./
COPY src ./src
COPY tools ./tools
COPY web ./web
# All of it belongs to root, and the service, another user, may only read it.
RUN chmod -R u=rwX,go=rX /app

FROM ${RUNTIME}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="payment-session-service" \
      org.opencontainers.image.description="Collects SEPA direct debits through payment sessions" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=packages /app /app
WORKDIR /app
# A number, so that a cluster can see that it is not root. It needs no name and no home.
USER 10001:10001
# The root file system may be read-only. Bank files too large for memory pass through /tmp, sealed.
ENV SERVICE_ENVIRONMENT=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/tmp/data
EXPOSE 8080
# Alive, not ready: a database that is away is no reason to kill the process. Balancers ask /readyz.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# Process 1 is the service: signals reach it, and its exit code is the container's. Commands: `… src/cli.ts migrate`.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=100"]
CMD ["src/main.ts"]
