/** Types of the channels whose address or model names a region. */
const VERTEX = 42;
const BEDROCK = 32;

export interface CallPlace {
  /** Type of the channel. */
  type: number;
  baseUrl: string;
  /** Parameter of the channel type. */
  other: string;
  upstreamModel: string;
}

/**
 * The region that a channel's address, or its model's name, commits a call to: OpenAI's and xAI's hosts, Bedrock's
 * inference profiles, Vertex' locations. `regional`: one region without a name in the request. Undefined: global.
 */
export function regionOfCall({ type, baseUrl, other, upstreamModel }: CallPlace): string | undefined {
  if (type === VERTEX) {
    const location = (other.split('|')[0] ?? '').trim().toLowerCase();
    return location === '' || location === 'global' ? undefined : location;
  }
  if (type === BEDROCK) {
    const profile = /^(global|us|eu|apac|jp|au|us-gov)\./.exec(upstreamModel)?.[1];
    return profile === 'global' ? undefined : (profile ?? 'regional');
  }
  return /^https:\/\/(us|eu)\.api\.(?:openai\.com|x\.ai)(?:\/|$)/.exec(baseUrl)?.[1];
}
