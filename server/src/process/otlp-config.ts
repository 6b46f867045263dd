import * as z from 'zod/mini';

/** Where a signal is sent. */
export interface OtlpTarget {
  url: string;
  headers: Record<string, string>;
  isJson: boolean;
  gzip: boolean;
  timeoutMs: number;
}

export interface OtlpConfig {
  /** Left out: not exported. */
  traces?: OtlpTarget;
  metrics?: OtlpTarget;
  metricsEveryMs: number;
  /** Attributes of the resource, `service.name` among them. */
  resource: [name: string, value: string][];
  /** Part of the traces that is exported, from 0 to 1, and whether a caller's own decision wins. */
  sampled: { ratio: number; byParent: boolean };
}

const signals = ['TRACES_', 'METRICS_'] as const;
type Signal = (typeof signals)[number];
const parts = ['ENDPOINT', 'HEADERS', 'PROTOCOL', 'COMPRESSION', 'TIMEOUT'] as const;
type Part = (typeof parts)[number];

const isAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol) && new URL(text).username === '';

/** `name=value,other=value`, percent-encoded; undefined: not valid. */
function pairsIn(text: string): [string, string][] | undefined {
  const pairs: [string, string][] = [];
  for (const pair of text.split(',').map((part) => part.trim())) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    if (at < 1) return undefined;
    try {
      pairs.push([decodeURIComponent(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())]);
    } catch {
      return undefined; // an invalid percent-encoding
    }
  }
  return pairs;
}

const areHeaders = (text: string): boolean =>
  pairsIn(text)?.every(([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)) ===
  true;

const texts = (isValid: (text: string) => boolean) => z.optional(z.string().check(z.refine(isValid)));
const wholeMs = (text: string): boolean => /^\d{1,8}$/.test(text) && Number(text) >= 1;

const protocols = ['http/protobuf', 'http/json'];
const compressions = ['none', 'gzip'];

const ofParts: Record<Part, { schema: ReturnType<typeof texts>; allowed: string; about: string }> = {
  ENDPOINT: {
    schema: texts(isAddress),
    allowed: 'an http or https address; unset: nothing is exported',
    about:
      'OpenTelemetry collector that traces and metrics are sent to; `/v1/traces` and `/v1/metrics` are added. See [observability](observability.md#opentelemetry).',
  },
  HEADERS: {
    schema: texts(areHeaders),
    allowed: 'name=value, separated by commas and percent-encoded, e.g. Authorization=Basic%20…; default: none',
    about: 'Headers of the export.',
  },
  PROTOCOL: {
    schema: texts((text) => protocols.includes(text)),
    allowed: `${protocols.join(' or ')}; default http/protobuf`,
    about: 'Encoding of the export. gRPC is not supported.',
  },
  COMPRESSION: {
    schema: texts((text) => compressions.includes(text)),
    allowed: `${compressions.join(' or ')}; default none`,
    about: 'Compression of the export.',
  },
  TIMEOUT: {
    schema: texts(wholeMs),
    allowed: 'milliseconds, from 1; default 10000',
    about: 'Time limit of one export.',
  },
};

type OtlpName = `OTEL_EXPORTER_OTLP_${'' | Signal}${Part}`;

function signalVariables() {
  const all = Object.entries(ofParts).flatMap(([part, variable]) => [
    [`OTEL_EXPORTER_OTLP_${part}`, variable] as const,
    ...signals.map((signal) => {
      const of = signal === 'TRACES_' ? 'traces' : 'metrics';
      const values =
        part === 'ENDPOINT' ? 'a whole http or https address, with its path' : variable.allowed.split('; ')[0];
      const about = `The same for ${of} only.`;
      return [
        `OTEL_EXPORTER_OTLP_${signal}${part}`,
        { ...variable, allowed: `${values}; default: OTEL_EXPORTER_OTLP_${part}`, about },
      ] as const;
    }),
  ]);
  return Object.fromEntries(all) as Record<OtlpName, (typeof ofParts)[Part]>; // made of exactly these names
}

const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [`parentbased_${name}`, name]);
const exporters = ['otlp', 'none'];

/** The standard variables of OpenTelemetry that the server reads. */
export const otlpVariables = {
  ...signalVariables(),
  OTEL_TRACES_EXPORTER: {
    schema: texts((text) => exporters.includes(text)),
    allowed: 'otlp or none; default otlp',
    about: 'none: exports no traces.',
  },
  OTEL_METRICS_EXPORTER: {
    schema: texts((text) => exporters.includes(text)),
    allowed: 'otlp or none; default otlp',
    about: 'none: exports no metrics.',
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    schema: texts(wholeMs),
    allowed: 'milliseconds, from 1; default 60000',
    about: 'Time between two exports of metrics.',
  },
  OTEL_TRACES_SAMPLER: {
    schema: texts((text) => samplers.includes(text)),
    allowed: `one of ${samplers.join(', ')}; default parentbased_always_on`,
    about:
      'Which calls are traced. With `parentbased_`, the `traceparent` header of the caller decides if there is one.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: texts((text) => /^(?:0|1|[01]?\.\d{1,9})$/.test(text) && Number(text) <= 1),
    allowed: 'a number from 0 to 1; default 1',
    about: 'Part of the calls that `traceidratio` traces.',
  },
  OTEL_SERVICE_NAME: {
    schema: texts((text) => text.length <= 255),
    allowed: 'a text; default relay-hub',
    about: 'Attribute `service.name` of traces and metrics.',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    schema: texts((text) => pairsIn(text) !== undefined),
    allowed: 'name=value, separated by commas and percent-encoded; default: none',
    about: 'Further attributes of traces and metrics.',
  },
  OTEL_SDK_DISABLED: {
    schema: texts((text) => ['true', 'false'].includes(text)),
    allowed: 'true or false; default false',
    about: 'true: exports nothing.',
  },
};

/** Reads the variables; undefined: nothing is exported. */
export function otlpConfig(read: (name: keyof typeof otlpVariables) => string | undefined): OtlpConfig | undefined {
  const names = Object.keys(otlpVariables) as (keyof typeof otlpVariables)[]; // of this table
  // All of them are read, so that each invalid one is named.
  const values = new Map(names.map((name) => [name, read(name)]));
  const value = (name: keyof typeof otlpVariables): string | undefined => values.get(name);
  if (value('OTEL_SDK_DISABLED') === 'true') return undefined;
  const target = (signal: Signal): OtlpTarget | undefined => {
    if (value(`OTEL_${signal}EXPORTER`) === 'none') return undefined;
    const of = (part: Part) => value(`OTEL_EXPORTER_OTLP_${signal}${part}`) ?? value(`OTEL_EXPORTER_OTLP_${part}`);
    const common = value('OTEL_EXPORTER_OTLP_ENDPOINT')?.replace(/\/+$/, '');
    const path = signal === 'TRACES_' ? '/v1/traces' : '/v1/metrics';
    const url = value(`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`) ?? (common === undefined ? undefined : common + path);
    if (url === undefined) return undefined;
    return {
      url,
      headers: Object.fromEntries(pairsIn(of('HEADERS') ?? '') ?? []),
      isJson: of('PROTOCOL') === 'http/json',
      gzip: of('COMPRESSION') === 'gzip',
      timeoutMs: Number(of('TIMEOUT') ?? 10_000),
    };
  };
  const traces = target('TRACES_');
  const metrics = target('METRICS_');
  if (!traces && !metrics) return undefined;
  const sampler = value('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const ratio = sampler.endsWith('traceidratio') ? Number(value('OTEL_TRACES_SAMPLER_ARG') ?? 1) : 1;
  const given = (pairsIn(value('OTEL_RESOURCE_ATTRIBUTES') ?? '') ?? []).filter(([name]) => name !== 'service.name');
  const named = (pairsIn(value('OTEL_RESOURCE_ATTRIBUTES') ?? '') ?? []).find(([name]) => name === 'service.name');
  return {
    ...(traces && { traces }),
    ...(metrics && { metrics }),
    metricsEveryMs: Number(value('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000),
    resource: [['service.name', value('OTEL_SERVICE_NAME') ?? named?.[1] ?? 'relay-hub'], ...given],
    sampled: { ratio: sampler.endsWith('always_off') ? 0 : ratio, byParent: sampler.startsWith('parentbased_') },
  };
}
