# syntax=docker/dockerfile:1

# Two images from one tree: the API, which is one static program, and the
# worker, which brings the programs that read scans and old documents.
#
#   docker build --target api -t clausemill/api .
#   docker build --target worker -t clausemill/worker .

# The console, which the Go build embeds. npm's packages come before the sources, so
# that they are fetched again only when the lock file changes.
FROM debian:bookworm-slim AS console
RUN apt-get update && apt-get install -qy --no-install-recommends ca-certificates npm \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --silent --ignore-scripts
COPY api/testdata/openapi.json /src/api/testdata/
COPY clients/typescript /src/clients/typescript
COPY web ./
RUN npm run --silent build

FROM golang:1.26-bookworm AS build
RUN apt-get update && apt-get install -qy --no-install-recommends \
        g++ libleptonica-dev libtesseract-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
COPY --from=console /src/web/dist web/dist
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -tags production -ldflags "-s -w" -o /out/clausemill ./cmd/clausemill && \
    CGO_ENABLED=1 go build -trimpath -ldflags "-s -w" -o /out/clausemill-ocr ./cmd/clausemill-ocr

# What both images have in common: an account without rights, and /data for it.
FROM debian:bookworm-slim AS base
RUN apt-get update && apt-get install -qy --no-install-recommends ca-certificates tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data --create-home clausemill
ENV CLAUSEMILL_DATA_DIR=/data \
    CLAUSEMILL_METRICS_ADDR=:9090 \
    CLAUSEMILL_LOG_FORMAT=json
ARG VERSION
LABEL org.opencontainers.image.title="Clausemill" \
      org.opencontainers.image.description="Contract analysis: upload documents, follow how they are read, use what was found in them." \
      org.opencontainers.image.source="https://github.com/clausemill/clausemill" \
      org.opencontainers.image.documentation="https://github.com/clausemill/clausemill/blob/main/README.md" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.vendor="The Clausemill authors" \
      org.opencontainers.image.version="${VERSION}"
COPY LICENSE NOTICE THIRD_PARTY_NOTICES /usr/share/doc/clausemill/
USER clausemill
WORKDIR /data
VOLUME /data
EXPOSE 9090
HEALTHCHECK --interval=10s --timeout=6s --start-period=2m --start-interval=2s CMD ["clausemill", "health"]
ENTRYPOINT ["tini", "--", "clausemill"]

FROM base AS api
ENV CLAUSEMILL_ADDR=:8080
COPY --from=build /out/clausemill /usr/local/bin/
EXPOSE 8080
CMD ["serve"]

# The fonts have the widths of those that Word documents name.
FROM base AS worker
USER root
RUN apt-get update && apt-get install -qy --no-install-recommends \
        fonts-crosextra-caladea fonts-crosextra-carlito fonts-dejavu-core fonts-liberation2 \
        libreoffice-writer-nogui tesseract-ocr tesseract-ocr-deu tesseract-ocr-eng tesseract-ocr-fra \
        tesseract-ocr-ita tesseract-ocr-nld tesseract-ocr-osd tesseract-ocr-spa \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/clausemill /out/clausemill-ocr /usr/local/bin/
USER clausemill
CMD ["work"]
