import type { Behaviour } from '#upstream-simulator/behaviour.ts';

/** Result of a call: HTTP status, outcome in the log, and result of its attempt. */
export interface FaultOutcome {
  status: number;
  outcome: 'answered' | 'broken' | 'failed';
  result: string;
  /** Code of the error, for the caller and in the log. */
  code?: string;
}

export interface FaultCase {
  name: string;
  /** Behaviour of the upstream, in words. */
  does: string;
  behaviour: Behaviour;
  /** Where the caller asked for the whole answer, and for a stream. */
  whole: FaultOutcome;
  streamed: FaultOutcome;
}

const well: FaultOutcome = { status: 200, outcome: 'answered', result: 'ok' };
const failed = (status: number, result: string, code?: string): FaultOutcome => ({
  status,
  outcome: 'failed',
  result,
  ...(code && { code }),
});
const broken = (result: string): FaultOutcome => ({ status: 200, outcome: 'broken', result });
const zeros = { prompt_tokens: 0, completion_tokens: 0 };
const both = (outcome: FaultOutcome) => ({ whole: outcome, streamed: outcome });

/** How the relay takes what an upstream may do, alike where bytes pass and where they are converted. */
export const faultTable: readonly FaultCase[] = [
  {
    name: 'refuse',
    does: 'closes the connection without a reply',
    behaviour: { fault: 'refuse' },
    ...both(failed(502, 'connect_failed', 'upstream_unreachable')),
  },
  { name: 'hang', does: 'never replies', behaviour: { fault: 'hang' }, ...both(failed(504, 'first_token_timeout')) },
  {
    name: 'silence',
    does: 'sends headers, then nothing',
    behaviour: { fault: 'headersThenSilence' },
    ...both(failed(504, 'first_token_timeout')),
  },
  {
    name: 'silence later',
    does: 'sends a few chunks of a stream, then nothing',
    behaviour: { fault: 'headersThenSilence', faultAt: 3 },
    whole: failed(504, 'first_token_timeout'),
    streamed: broken('timeout'),
  },
  {
    name: 'drip',
    does: 'sends a byte every ten seconds',
    behaviour: { fault: 'drip', dripMs: 10_000 },
    whole: failed(504, 'timeout'),
    streamed: failed(504, 'first_token_timeout'),
  },
  {
    name: 'cut',
    does: 'closes the connection within a chunk',
    behaviour: { fault: 'cutMidChunk', faultAt: 3 },
    whole: failed(502, 'stream_broken'),
    streamed: broken('stream_broken'),
  },
  {
    name: 'half',
    does: 'ends before its content length',
    behaviour: { fault: 'truncatedJson' },
    whole: failed(502, 'stream_broken'),
    streamed: broken('stream_broken'),
  },
  {
    name: 'no end',
    does: 'ends a stream without its end marker',
    behaviour: { fault: 'endWithoutDone', faultAt: 3 },
    whole: well,
    streamed: broken('stream_broken'),
  },
  {
    name: 'no answer',
    does: 'sends an empty reply: an empty object, or a stream with only an end marker',
    behaviour: { fault: 'emptyAnswer' },
    ...both(failed(502, 'bad_reply')),
  },
  {
    name: 'blocked prompt',
    does: 'blocks the prompt with its content filter',
    behaviour: { status: 400, error: { error: { message: 'The prompt was blocked.', code: 'content_filter' } } },
    ...both(failed(400, 'content_filter')),
  },
  {
    name: 'error in 200',
    does: 'replies 200 with an error in the body',
    behaviour: { fault: 'errorBody200' },
    ...both(failed(502, 'error_in_reply', 'upstream_error')),
  },
  {
    name: 'error in stream',
    does: 'sends an error in a stream',
    behaviour: { fault: 'errorInStream', faultAt: 3 },
    whole: failed(502, 'error_in_reply'),
    streamed: broken('error_in_stream'),
  },
  {
    name: 'page',
    does: 'replies 200 with a web page',
    behaviour: { fault: 'html', status: 200 },
    ...both(failed(502, 'bad_reply', 'bad_upstream_reply')),
  },
  {
    name: 'error page',
    does: 'replies 502 with a web page',
    behaviour: { fault: 'html', status: 502 },
    ...both(failed(502, 'upstream_status', 'upstream_status')),
  },
  {
    name: 'no money',
    does: 'has an account without funds',
    behaviour: { status: 429, error: { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } } },
    ...both(failed(502, 'upstream_status')),
  },
  {
    name: 'flagged',
    does: 'refuses the prompt as flagged, with 403',
    behaviour: { status: 403, error: { error: { message: 'Your input was flagged', code: 'moderation_blocked' } } },
    ...both(failed(400, 'content_filter')),
  },
  {
    name: '404',
    does: 'does not know the model',
    behaviour: { status: 404 },
    ...both(failed(404, 'upstream_status', 'model_not_found')),
  },
  {
    name: 'no object',
    does: 'does not know a file that the call names',
    behaviour: { status: 404, error: { error: { message: 'No such File object: file-1', code: null } } },
    ...both(failed(404, 'upstream_status')),
  },
  {
    name: '401',
    does: 'refuses the channel’s key',
    behaviour: { status: 401 },
    ...both(failed(502, 'upstream_status', 'upstream_rejected')),
  },
  { name: '429', does: 'limits the rate (429)', behaviour: { status: 429 }, ...both(failed(429, 'upstream_status')) },
  {
    name: '400',
    does: 'refuses the request (400)',
    behaviour: { status: 400 },
    ...both(failed(400, 'upstream_status')),
  },
  { name: '500', does: 'fails (500)', behaviour: { status: 500 }, ...both(failed(500, 'upstream_status')) },
  { name: '503', does: 'fails (503)', behaviour: { status: 503 }, ...both(failed(503, 'upstream_status')) },
  {
    name: 'redirect',
    does: 'redirects to another address',
    behaviour: { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    ...both(failed(502, 'upstream_status')),
  },
  {
    name: 'bomb',
    does: 'sends an unrequested gzip bomb',
    behaviour: { fault: 'gzipBomb', bombBytes: 4_000_000 },
    ...both(failed(502, 'bad_reply')),
  },
  { name: 'CRLF', does: 'ends lines with CR and LF', behaviour: { fault: 'crlf' }, ...both(well) },
  {
    name: 'BOM',
    does: 'begins with a byte order mark',
    behaviour: { fault: 'bom' },
    whole: failed(502, 'bad_reply'),
    streamed: well,
  },
  { name: 'comments', does: 'sends comments between events', behaviour: { fault: 'comments' }, ...both(well) },
  {
    name: 'split characters',
    does: 'splits characters between chunks',
    behaviour: { fault: 'splitUtf8' },
    ...both(well),
  },
  {
    name: 'long line',
    does: 'sends a line of several megabytes',
    behaviour: { fault: 'hugeLine', lineBytes: 3_000_000 },
    ...both(well),
  },
  { name: 'usage twice', does: 'reports usage twice', behaviour: { usage: 'twice' }, ...both(well) },
  {
    name: 'implausible usage',
    does: 'reports more usage than the call can have used',
    behaviour: { usage: { prompt_tokens: 1, completion_tokens: 1_000_000_000 }, usageIn: 'always' },
    ...both(well),
  },
  {
    name: 'zero usage',
    does: 'reports 0 output tokens for its text',
    behaviour: { usage: zeros, usageIn: 'always' },
    ...both(well),
  },
  { name: 'no usage', does: 'reports no usage', behaviour: { usage: 'none' }, ...both(well) },
];

const texts = {
  answered: 'the reply',
  broken: 'the received part, then an error as the last event',
  failed: 'an error',
};

const cell = ({ status, outcome, result }: FaultOutcome): string =>
  `${texts[outcome]}${outcome === 'failed' ? ` ${status}` : ''}${outcome === 'answered' ? '' : `, \`${result}\``}`;

/** The table as Markdown for docs/faults.md. */
export function faultsPage(): string {
  return `# Faults of upstreams

The result for the caller when an upstream fails and no other channel is left. Before that, and until the first content
has reached the caller, the call [fails over](decisions/0030-faults-by-cause.md). Pass-through and converted calls behave
alike. This page is generated from \`testing/fault-table.ts\`;
\`server/src/relay/outcome/fault-matrix.test.ts\` makes each of these calls, in both modes.

| the upstream | reply without streaming | streamed reply |
|---|---|---|
${faultTable.map(({ does, whole, streamed }) => `| ${does} | ${cell(whole)} | ${cell(streamed)} |`).join('\n')}

- Failed calls are free. A stream that breaks is charged for the received part; if the upstream had not reported usage yet,
  the charge is an estimate and labelled as one.
- Errors use the dialect of the caller. A broken stream never has the end marker of the dialect.
- Usage that is reported twice counts once. If none is reported, or 0 output tokens for a text, the row labels its numbers
  as an estimate. Usage above the possible maximum is cut to it, and the row and the channel are marked
  ([the bounds](usage.md#bounds)).
- An empty reply (no choice, image, vector or result) is a failure: it fails over and is free. One image instead of ten
  costs one; additional images cost the requested number.
- A prompt that the vendor's content filter blocked is the caller's responsibility: 400 with the code \`content_filter\`,
  not retried, free, and not counted against a channel.
- A refusal of the channel's key, or of its account for insufficient funds, is a 502 for the caller, whatever its status:
  it concerns the operator, not the caller's key or balance.
- \`Retry-After\` is passed on up to 30 seconds, because clients sleep that long, and respected for at most ten minutes.
  The vendor's \`x-should-retry\` is passed on.
  While all channels rest for their rate, callers get a 429 with the code \`upstream_rate_limited\`.
- A fault counts against the channel by its cause, and one caller cannot close a channel for others
  ([the causes](decisions/0030-faults-by-cause.md)).
- Requests ask for uncompressed replies. A compressed reply (\`Content-Encoding\`) is discarded unread as an invalid reply; a
  compressed refusal is classified by its status.
- A timeout before the first token is a 504, streamed or not; later, it is the error event at the end of the stream.
- A disconnect of the caller changes nothing: the upstream is read to the end, unless its channel has another policy. If
  the channel has no first-token timeout, a silent upstream is given up two minutes after the disconnect, as
  \`first_token_timeout\`, which does not count against the channel. After a disconnect, a node reads for at most half an
  hour, and at most 1000 calls at once; the received part is charged.
- Replies larger than 128 MiB are aborted. Pass-through streams have no such limit; an event that has to be converted may
  have 32 MiB.
- A lack of file descriptors on this server is not a fault of an upstream: 503 with the code \`server_out_of_files\`, logged
  as \`out_of_files\`, without failover, and not counted against a channel. The same applies to a reply that has to be
  buffered without enough memory: 503 with the code \`server_busy\`, logged as \`no_room\`
  ([the limits](decisions/0028-connection-and-body-limits.md)).
- An image URL that cannot be fetched, for an upstream that accepts only bytes, is not a fault of an upstream: 400 with the
  code \`invalid_image_url\`, free, and not counted against a channel
  ([how they are fetched](providers.md#pictures-given-by-their-addresses)).
`;
}
