import type { Behaviour } from '#upstream-simulator/behaviour.ts';

/** What a call comes to: its HTTP status, how it stands in the log, and the result of its attempt. */
export interface Outcome {
  status: number;
  outcome: 'answered' | 'broken' | 'failed';
  result: string;
}

export interface FaultCase {
  name: string;
  /** What the upstream does, in words. */
  does: string;
  behaviour: Behaviour;
  /** Where the caller asked for the whole answer, and for a stream. */
  whole: Outcome;
  streamed: Outcome;
}

const well: Outcome = { status: 200, outcome: 'answered', result: 'ok' };
const failed = (status: number, result: string): Outcome => ({ status, outcome: 'failed', result });
const broken = (result: string): Outcome => ({ status: 200, outcome: 'broken', result });
const zeros = { prompt_tokens: 0, completion_tokens: 0 };
const both = (outcome: Outcome) => ({ whole: outcome, streamed: outcome });

/** How the relay takes what an upstream may do, alike where bytes pass and where they are converted. */
export const faultTable: readonly FaultCase[] = [
  {
    name: 'refuse',
    does: 'closes the connection unanswered',
    behaviour: { fault: 'refuse' },
    ...both(failed(502, 'connect_failed')),
  },
  { name: 'hang', does: 'never answers', behaviour: { fault: 'hang' }, ...both(failed(504, 'first_token_timeout')) },
  {
    name: 'silence',
    does: 'sends its headers, then nothing',
    behaviour: { fault: 'headersThenSilence' },
    ...both(failed(504, 'first_token_timeout')),
  },
  {
    name: 'silence later',
    does: 'sends a few pieces of a stream, then nothing',
    behaviour: { fault: 'headersThenSilence', faultAt: 3 },
    whole: failed(504, 'first_token_timeout'),
    streamed: broken('timeout'),
  },
  {
    name: 'drip',
    does: 'sends a byte every ten seconds',
    behaviour: { fault: 'drip', dripMs: 10_000 },
    ...both(failed(504, 'timeout')),
  },
  {
    name: 'cut',
    does: 'cuts the connection within a chunk',
    behaviour: { fault: 'cutMidChunk', faultAt: 3 },
    whole: failed(502, 'stream_broken'),
    streamed: broken('stream_broken'),
  },
  {
    name: 'half',
    does: 'ends before its announced length',
    behaviour: { fault: 'truncatedJson' },
    whole: failed(502, 'stream_broken'),
    streamed: broken('stream_broken'),
  },
  {
    name: 'no end',
    does: 'ends a stream without its end',
    behaviour: { fault: 'endWithoutDone', faultAt: 3 },
    whole: well,
    streamed: broken('stream_broken'),
  },
  {
    name: 'no answer',
    does: 'answers with nothing in it: an empty object, or a stream that is only its end',
    behaviour: { fault: 'emptyAnswer' },
    ...both(failed(502, 'bad_reply')),
  },
  {
    name: 'blocked prompt',
    does: 'blocks the prompt by its content filter',
    behaviour: { status: 400, error: { error: { message: 'The prompt was blocked.', code: 'content_filter' } } },
    ...both(failed(400, 'content_filter')),
  },
  {
    name: 'error in 200',
    does: 'answers 200 with an error as its body',
    behaviour: { fault: 'errorBody200' },
    ...both(failed(502, 'error_in_reply')),
  },
  {
    name: 'error in stream',
    does: 'sends an error within a stream',
    behaviour: { fault: 'errorInStream', faultAt: 3 },
    whole: failed(502, 'error_in_reply'),
    streamed: broken('error_in_stream'),
  },
  {
    name: 'page',
    does: 'answers 200 with a web page',
    behaviour: { fault: 'html', status: 200 },
    ...both(failed(502, 'bad_reply')),
  },
  {
    name: 'error page',
    does: 'answers 502 with a web page',
    behaviour: { fault: 'html', status: 502 },
    ...both(failed(502, 'upstream_status')),
  },
  {
    name: 'no money',
    does: 'has no money left in its account',
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
    ...both(failed(404, 'upstream_status')),
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
    ...both(failed(502, 'upstream_status')),
  },
  { name: '429', does: 'has had too many calls', behaviour: { status: 429 }, ...both(failed(429, 'upstream_status')) },
  { name: '500', does: 'fails', behaviour: { status: 500 }, ...both(failed(500, 'upstream_status')) },
  {
    name: 'bomb',
    does: 'sends a gzip bomb that nobody asked for',
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
  { name: 'split characters', does: 'cuts characters apart', behaviour: { fault: 'splitUtf8' }, ...both(well) },
  {
    name: 'long line',
    does: 'sends a line of megabytes',
    behaviour: { fault: 'hugeLine', lineBytes: 3_000_000 },
    ...both(well),
  },
  { name: 'usage twice', does: 'tells its usage twice', behaviour: { usage: 'twice' }, ...both(well) },
  {
    name: 'implausible usage',
    does: 'reports more usage than the call can have',
    behaviour: { usage: { prompt_tokens: 1, completion_tokens: 1_000_000_000 }, usageIn: 'always' },
    ...both(well),
  },
  {
    name: 'zero usage',
    does: 'reports no output for its text',
    behaviour: { usage: zeros, usageIn: 'always' },
    ...both(well),
  },
  { name: 'no usage', does: 'tells no usage', behaviour: { usage: 'none' }, ...both(well) },
];

const words = {
  answered: 'the answer',
  broken: 'what had come, then an error as the last event',
  failed: 'an error',
};

const cell = ({ status, outcome, result }: Outcome): string =>
  `${words[outcome]}${outcome === 'failed' ? ` ${status}` : ''}${outcome === 'answered' ? '' : `, \`${result}\``}`;

/** The table as the page docs/faults.md. */
export function faultsPage(): string {
  return `# Faults of upstreams

What a caller gets when an upstream misbehaves and no other channel is left to ask; [failing
over](decisions/0030-faults-by-cause.md) comes before that as long as nothing has reached the caller. It is the same where
bytes pass through and where they are converted. This page is made from \`server/testing/fault-table.ts\`, and
\`server/src/relay/outcome/fault-matrix.test.ts\` makes each of these calls, in both ways and on both databases.

| the upstream | asked for a whole answer | asked for a stream |
|---|---|---|
${faultTable.map(({ does, whole, streamed }) => `| ${does} | ${cell(whole)} | ${cell(streamed)} |`).join('\n')}

- Failed calls cost nothing. A stream that breaks is charged for what had come; where the upstream had not told its usage,
  that is an estimate and labelled as one.
- An error is told in the caller's own dialect, and no stream that broke has the dialect's mark of the end.
- Usage that is reported twice counts once; where none is reported, or one of 0 output tokens for a text, the row says that its
  numbers are an estimate. Usage that is more than the call can have is cut to that, and the row and the channel are marked
  ([what bounds it](usage.md#bounds)).
- An answer with nothing in it is none: no choice, no image, no vector, no result. It fails over, and costs nothing. One image
  of ten costs one; more images than were asked for cost as many as were asked for.
- A prompt that the vendor's content filter blocked is the caller's: 400 with the code \`content_filter\`, which is not tried
  again, costs nothing and is held against no channel.
- A refusal of the channel's key, or of its account for want of money, is a 502 to the caller under whatever status it comes:
  it is the operator's affair, not the caller's key or balance.
- \`Retry-After\` is passed on to the caller up to 30 seconds, since clients sleep that long, and heeded for ten minutes at
  most, whatever it says. While all channels rest for their rate, callers get a 429 with the code \`upstream_rate_limited\`.
- A fault counts against the channel by its cause, and one caller cannot close it for others
  ([which one counts how](decisions/0030-faults-by-cause.md)).
- A lack of file descriptors of this server is held against no channel.
- Every call asks for bytes as they are. An answer that is packed all the same (\`Content-Encoding\`) is given up unread, as a
  bad one; a refusal that is packed is known by its status.
- A time-out before the first word is 504, whether or not a stream was asked for; after it, it is the error that ends the
  stream.
- A caller who has left changes nothing of this: the upstream is read on, unless its channel says otherwise. Where the channel
  has no time for the first token, one that has said nothing is given up two minutes after that, as \`first_token_timeout\`,
  which is not held against the channel. Nobody who has left is read for longer than half an hour, nor more than 1000 of
  them by one node; what had come by then is charged.
- Answers larger than 128 MiB are given up. Streams have no such limit where bytes pass; an event that
  has to be converted may have 32 MiB.
- A lack of file descriptors on this server is no fault of an upstream: 503 with the code \`server_out_of_files\`, as
  \`out_of_files\`, not followed by another channel, and held against none. The same goes for an answer that has to be
  held whole when there is no room for it: 503 with the code \`server_busy\`, as \`no_room\`
  ([the limits](decisions/0028-connection-and-body-limits.md)).
- A picture that is given by its address and cannot be fetched, for an upstream that takes bytes only, is no fault of an
  upstream: a 400 with the code \`invalid_image_url\`, which costs nothing and is held against no channel
  ([how they are fetched](providers.md#pictures-given-by-their-addresses)).
`;
}
