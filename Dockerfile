# The service as an image: Node, the production packages, the source. Nothing is compiled, nothing of npm, the tests or
# the embedded PostgreSQL is in it. docs/operating.md says how to run it.

FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# No package that is used in production needs an install script to run. What the service never loads is removed below.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY scripts/image-packages.ts scripts/
RUN node scripts/image-packages.ts && rm -r scripts
# The reference links its recipes there.
ARG SOURCE=
RUN test -z "$SOURCE" || npm pkg set repository.type=git "repository.url=git+$SOURCE.git"

FROM debian:trixie-slim
ARG VERSION=unreleased REVISION=unknown SOURCE=
LABEL org.opencontainers.image.title="Studio Inventory API" \
      org.opencontainers.image.description="A read-only REST API over a studio's equipment, maintenance, insurance and valuation" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.base.name="docker.io/library/debian:trixie-slim"
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
# Photos and the demo's token; everything else can be read-only.
RUN install -d -o 1000 -g 1000 /var/lib/studio-inventory /var/lib/studio-inventory/photos \
 && ln -s /app/src/cli/main.ts /usr/local/bin/studio-inventory
WORKDIR /app
COPY --from=packages /app ./
COPY migrations/committed migrations/committed
COPY src src
# Bodies die young: docs/performance.md
ENV NODE_OPTIONS=--max-semi-space-size=8
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/var/lib/studio-inventory
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# Alive, not ready: a restart does not bring a database back.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "-e", \
  "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/src/cli/main.ts"]
CMD ["serve"]
