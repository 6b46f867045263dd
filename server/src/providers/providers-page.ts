import { readFileSync } from 'node:fs';
import type { Operation } from './operation.ts';
import type { Provider } from './provider.ts';
import { allProviders } from './registry.ts';
import { converseWire } from './wires/bedrock/converse-wire.ts';
import { cohereWire } from './wires/cohere/cohere-wire.ts';
import { cozeWire } from './wires/coze/coze-wire.ts';
import { ollamaWire } from './wires/ollama/ollama-wire.ts';
import { replicateWire } from './wires/replicate/replicate-wire.ts';

const videosOutsideChina = `## Videos of vendors outside China

Their adapters are in \`server/src/providers/task-vendors/\`, or with their provider where it has nothing else. Length and resolution are always stated in the request, so what
is charged is what is ordered; a default is stated too. Whatever a vendor has no parameter for is a 400 that names the field.

| provider | models | seconds | resolutions | makes videos of |
|---|---|---|---|---|
| Vertex AI | \`veo-…\` | 4 to **8** | **720p**, 1080p, 4k | text, first and last frame, 3 references, a video to extend; images as bytes or \`gs://\` |
| Gemini | \`veo-…\` (legacy) | 4 to **8** | **720p**, 1080p, 4k | text, first and last frame, 3 references; images as bytes |
| Gemini | \`gemini-omni…\` | 3 to 10 (1.2: 15), **8** | 360p, **720p**, 1080p, 4k | text, first frame, references, a video or an earlier task to edit or extend |
| Runway | any | 2 to 10, **5** | **720p**, 1080p | text, first and last frame |
| Luma | \`ray-3…\` | **5**, 10 | 360p, 540p, **720p**, 1080p | text, first and last frame |
| Luma | \`ray-2\`, \`ray-flash-2\` | **5**, 9 | 540p, **720p**, 1080p, 4k | text, first and last frame by address |
| xAI | \`grok-imagine-video…\` | 1 to 15, **5** | **480p**, 720p, 1080p (1.5) | text, first frame, 7 references, a video to extend |
| Replicate, fal | any, named by their paths | as the model takes | as the model takes | text, first frame, and listed parameters of the model |
| Stability AI | \`stable-image-upscale-creative\` | – | – | an image as bytes, which is enlarged |

- **Not offered**, because the price would be unknown before: Runway's and xAI's edits, which are as long as their video, and
  Luma's edits and HDR. A model of Replicate or fal has a price per second only for orders that name their length.
- **Results**: Vertex AI sends the video inside the answer, which may have 32 MiB. Files of the Gemini API are downloaded with the
  channel's key, from the channel's own host only. fal's addresses are followed at the channel's host only.
- **Cancelling**: Runway, Replicate, fal and Gemini Omni.
- A task that was stopped by moderation has failed, and is refunded.
`;

/** Generates docs/providers.md. */
export function providersPage(): string {
  return `# Providers

A channel's type is a provider: a file in \`server/src/providers/adapters/\`, named as its id. Nothing else lists them: the
server reads the folder when it starts. This page is made from these files (\`server/src/providers/providers-page.ts\`).

## Types

*chat* names the dialects that are spoken there. Where the caller speaks one of them, bytes pass through; otherwise the
request is converted ([what that loses](conversions.md)). *+* is beside chat, in OpenAI's form for callers. \`|\` joins the
parts of a key.

| type | provider | chat | + | key | other parameter |
|---|---|---|---|---|---|
${allProviders().map(row).join('\n')}

"Messages" in brackets is had on the vendor's own host only: a channel with another address is not asked there.

## Base URLs

A channel's base URL is what stands before the paths of the type. A pasted address that ends in such a path
(\`…/v1/chat/completions\`), or in the version that begins one (\`…/v1\`), loses it when the channel is saved; the answer names
what was sent (\`base_url_sent\`), and the console says it. Where the channel's options replace paths, the version stays. A base
URL of an OpenAI-compatible channel may end in another version (\`…/api/paas/v4\`): its paths begin behind it. When an upstream
answers 404, administrators see the whole address that was asked, in tests and in the attempts of a log row.

## Responses and Chat

A provider of OpenAI's format is asked in the caller's API if it has it. Two refusals change that within the same call, for one hour at that channel and node:

- *It has no \`/v1/responses\`*: a 404 without OpenAI's error, or with its words for an unknown path, a 405 or a 501. A second request without an input, which is free of charge, confirms it. Refusals that speak of a prompt, a response, a file or the model prove nothing, and neither do those of paths below, such as \`/v1/responses/compact\`. Calls are then sent as chats. The channel shows it, and a button ends it.
- *A model speaks Responses only*: a 404 that names \`v1/responses\`. Callers of Chat, Messages and Gemini are then served by Responses. A 400 that names it, such as for tools with a reasoning effort, concerns that call only.

\`server/src/relay/select/without-responses.test.ts\` has the cases.

## Types without an adapter

Known numbers that no channel can be made of yet, or any more:

| type | why |
|---|---|
| 11 Google PaLM2, 23 Tencent Hunyuan (old) | the vendor has shut them down; 25 and 40 take their place |
| 57–60 | personal subscriptions, which may not be resold |
| 61 Vertex Express, 62 Bedrock Messages | 25 with a key, and 32, reach the same models |

${videosOutsideChina}
## Chats on Replicate

A chat is a prediction. The messages become one prompt (\`User: …\`, \`Assistant: …\`; a single message unchanged), system
messages \`system_prompt\`, and one picture \`image\`; models ignore parameters that they do not have. The prediction's stream
is passed on; a stream that breaks is completed from the finished prediction, and a model without streams answers in one
piece. Tokens are those of the prediction's metrics, else estimated. If the call is given up, the prediction is cancelled.
States are polled by id at the channel's base URL; addresses in an answer are followed only for the stream, at the
channel's host, or without the key at a host of \`replicate.com\`. The finish reason is always \`stop\`: none is reported.

${picturesByAddress}

## Videos

Adapters of tasks are in \`server/src/providers/task-vendors/\`, or with their provider where it has nothing else. What they share
is in \`rest-video.ts\` there: an order is one request, its answer names an id, and the state is a document below it; an adapter
writes its orders and names members, words and files. A vendor with two APIs has two: the model decides which. A field that
the model does not have is refused with a 400, never dropped. \`metadata\` takes the vendor's own parameters that change neither the
price nor an address. Length, resolution, mode and sound are always stated, so what is ordered is what is charged.

| type | models | lost answer | cancel | left out |
|---|---|---|---|---|
| 53 Kling, older API | \`kling-v…\` | found by our id | – | lip sync, effects, avatars, voices; an extension is not found |
| 53 Kling, newer API | \`kling-3.0\`, \`kling-o1\`, \`kling-2.6\` … | found by our id | – | elements, video input, motion control; takes API keys only |
| 27 MiniMax v1 | Hailuo, \`T2V\`, \`I2V\`, \`S2V\` | – | – | \`GroupId\` of old accounts, notifications |
| 27 MiniMax v2 | \`MiniMax-H3\`, \`MiniMax-H3-Max\` | – | while queued | video and sound input, more than five images, notifications |
| 16 Zhipu | \`cogvideox-…\`, \`vidu…\` | – | – | \`fps\`, \`off_peak\` |
| 17 Alibaba | \`wan…\`, \`happyhorse-…\` | – | while pending | sound and video input, first and last frame before 2.7 |
| 105 Volcengine Ark | \`doubao-seedance-…\` | – | while queued | drafts, the flex tier, video and sound input |
| 106 Jimeng | its \`req_key\` | – | – | pictures, camera templates |
| 103 Vidu | \`viduq3-…\`, \`viduq2\`, \`viduq1\` | found by our id | waiting for off-peak hours | \`bgm\` |

- Kling's hosts differ by region: \`https://api-singapore.klingai.com\`, in China \`https://api-beijing.klingai.com\`. So do those of Ark
  (BytePlus: \`https://ark.ap-southeast.bytepluses.com/api/v3\`), Vidu (\`https://api.vidu.cn/ent/v2\`), MiniMax, Zhipu and Alibaba.
- A key \`AccessKey|SecretKey\` of Kling signs a token of half an hour; one without \`|\` is an API key.
- Options at the end of a prompt, such as \`--dur 10\`, are refused at Ark: they would change the length.
- Keys of other gateways (\`sk-…\` with a prefix in the path) are not taken for Kling and Jimeng; use the OpenAI-compatible type.

## What is not carried over

- A wire that knows no sound or no files refuses them with a 400.
- Pairs of keys of former interfaces are refused by the vendors' present ones: \`APIKey|SecretKey\` of Baidu,
  \`SecretId|SecretKey\` of Tencent. iFlytek's triple is taken.
- Azure's DALL·E 2 (which answers later), Alibaba's pictures and speech have no place yet: their forms are their own. At
  Bedrock, Titan, Nova and Cohere embed.
- Stability's and Cloudflare's pictures come as base64, one a call. Cloudflare's transcripts are JSON, text or WebVTT.
- Regions of Vertex: the first one that \`other\` names.

${lostByWires()}

${howToAdd()}
`;
}

const picturesByAddress = `## Pictures given by their addresses

Most providers fetch them. For those that take bytes only, the relay does, before it asks them: Bedrock, Ollama, Claude at
Vertex AI, and Gemini for callers of other dialects (who speaks Google's own words says what Google is to fetch). What lies
in a vendor's own store stays where it is: \`s3://\` for Bedrock, \`gs://\` and the Files API for Google. Another channel that is
tried in the same call and takes addresses gets the address; nothing is fetched twice.

- At most 16 pictures of a call are fetched, each at most 20 MiB and 15 seconds, together 32 MiB and 30 seconds. What they are
  is known by their bytes: PNG, JPEG, and, as the model takes them, WebP, GIF, HEIC.
- An address may not lead into a private network, by a name or a redirect neither, unless \`ChatImagePrivateNetworks\` has it; the
  connection goes to the very addresses that were checked, also through a proxy, which gets the addresses and not the name.
- One that cannot be had is a 400 with the code \`invalid_image_url\`, whose \`param\` says where the picture stands. Channels that
  take addresses are asked in its place. Otherwise the call costs nothing, its row names no channel, and no channel is held
  responsible.
- The settings say how they are fetched. \`ChatImageRequestProxy\` is a proxy (\`http://\`, \`https://\`, \`socks5://\`).
  \`CFWorkerImageUrl\` is a worker that fetches instead: it is sent \`{"action": "base64", "api_key": CFWorkerImageKey, "url": …}\`
  by POST and answers with \`{"data": …}\`, the picture in base64. One that does not answer is a 502, \`picture_not_fetched\`.`;

const lostByWires =
  (): string => `What the wires of \`server/src/providers/wires/\` lose of a request, in the words of \`server/src/chat/chat.ts\`:

${[
  { title: 'Bedrock Converse', ...converseWire },
  { title: 'Cohere', ...cohereWire },
  { title: 'Coze', ...cozeWire },
  { title: 'Ollama', ...ollamaWire },
  { title: 'Replicate', ...replicateWire },
]
  .map(({ title, dropped }) => `### ${title}\n\n| field | why |\n|---|---|\n${dropped.map(droppedRow).join('\n')}`)
  .join('\n\n')}`;

const howToAdd = (): string => `## Add a provider

One file, here the whole of \`server/src/providers/adapters/lingyi.ts\`:

\`\`\`ts
${readFileSync(new URL('./adapters/lingyi.ts', import.meta.url), 'utf8').trim()}
\`\`\`

The number is \`channel.type\` on the wire and must not have been another's. With the file there, the server knows the
type, the channel form offers it, and \`server/src/providers/provider-suite.test.ts\` fails until it finds
\`adapters/fixtures/<id>/channel.json\` (key, headers, an error, the list of models) and \`chat.json\` (an answer, two calls
at once, both as streams, written from the vendor's documentation). Every fixture answers the same questions, so the
expectations stand in the suite, once; \`server/src/providers/testing/fixtures.ts\` says what each field is.

A vendor that differs says how:

- **a path, a header, a host**: \`paths\`, \`headers\`, \`target\`. What the key or the channel decides stands in \`target\`.
- **fields that it refuses or calls otherwise**: \`fix\`, a list of small functions in \`server/src/providers/fixes.ts\`.
- **what conversions need**: \`wire\`, how reasoning is requested and returned.
- **separate counters**: \`usage\`, a reader in \`server/src/usage/\`.
- **errors that come with 200**, or codes that say more than the status: \`error: errorsWith({ … })\`.
- **pictures as bytes only**: \`pictures\`, the types that are taken.
- **a prompt cache**: \`promptCacheS\`, the seconds it lives without use; conversations then stay with their key.
- **more than chat**: \`has\`, and \`models\`, \`balance\`.
- **a signature or a token**: \`sign\` sees the whole request; \`token\` says how a key is exchanged. Neither sends anything.
- **a form of its own**: \`dialect: 'own'\` with a \`wire\` (chat) or a \`convert\` (all else); \`unframe\` where a known dialect
  comes in another frame. \`server/src/providers/wires/ollama/\` is the smallest.

\`server/src/providers/provider.ts\` and \`server/src/providers/operation.ts\` are the whole of it.`;

const dialects = {
  openai: 'Chat Completions',
  responses: 'Responses',
  anthropic: 'Messages',
  gemini: 'generateContent',
  own: 'its own',
} as const;

function row(provider: Provider): string {
  const { type, title, chat, form } = provider;
  const cells = [String(type), title, chat ? chatsOf(chat) : '–', beside(provider).join(', ') || '–', keyOf(provider)];
  const other = form?.other;
  return `| ${[...cells, other ? `${other.kind.replaceAll('_', ' ')}, such as \`${cell(other.example)}\`` : '–'].join(' | ')} |`;
}

function chatsOf(chat: Operation): string {
  const further = (chat.also ?? []).map(({ dialect, serves }) =>
    dialect === 'anthropic' && serves && chat.dialect === 'openai' ? `(${dialects[dialect]})` : dialects[dialect],
  );
  return [dialects[chat.dialect], ...further].join(', ');
}

function beside(provider: Provider): string[] {
  const { images = {} } = provider;
  const named: [string, unknown][] = [
    ['completions', provider.completions],
    ['embeddings', provider.embeddings],
    ['images', images.generations],
    ['edits', images.edits],
    ['variations', images.variations],
    ['image tools', images.tools],
    ['speech', provider.speech],
    ['transcriptions', provider.transcriptions],
    ['translations', provider.translations],
    ['rerank', provider.rerank],
    ['moderations', provider.moderations],
    ['realtime', provider.realtime],
    ['pass-through', provider.raw],
    ['tasks', provider.tasks],
    ['model list', provider.models],
    ['balance', provider.balance],
  ];
  return named.filter(([, operation]) => operation !== undefined).map(([name]) => name);
}

function keyOf({ form, id }: Provider): string {
  const key = form?.key;
  if (key?.json) return 'the JSON file of a service account';
  if (key?.any) return 'any';
  if (key) return key.forms.map((parts) => `\`${cell(parts.join('|'))}\``).join(' or ');
  return id === 'zhipu' ? 'as it is; `id.secret` signs a token' : 'as it is';
}

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

const droppedRow = ({ field, why }: { field: string; why: string }): string => `| \`${field}\` | ${why} |`;
