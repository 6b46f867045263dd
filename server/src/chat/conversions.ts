import type { DroppedField } from './codec.ts';
import { anthropicWire, dialects, geminiWire, openAiWire, responsesWire } from './codecs.ts';

/** Generates docs/conversions.md. */
export function conversionsPage(): string {
  return `# Conversions

A caller may speak one dialect and the provider of its model another. Where the two are the same, the bytes pass through
as they are, unknown fields too, and with them what the headers \`anthropic-version\`, \`anthropic-beta\` and \`openai-beta\` ask
for. A [rule of the channel](request-rules.md) that applies changes its members alone. Where they differ, the request is read into a neutral form and written anew, and the answer comes back the same way,
event by event. An upstream that should know Responses and answers 404, 405 or 501 to it (servers that are compatible with OpenAI
often do) is asked in a chat within the same call, and without asking first for an hour after that. This page lists what is lost
then. It is made from the code
(\`server/src/chat/dropped.ts\`); tests hold it against the type definitions of the official clients.

## Refused

Answered with a 400 that names the field, because the answer would be another one than was asked for:

- more than one answer to a request (\`n\`, \`candidateCount\`)
- \`conversation\` and \`prompt\` of Responses: another provider keeps no state; \`background\`, unless responses are kept here
- \`previous_response_id\` and \`item_reference\` of Responses, unless the operator keeps responses (setting
  \`ResponseStoreHours\`, or that of the token) and the response is the caller's own; then its items are put in their place
- \`thread\` of Messages that continues: 404 \`thread_not_found\`, after which Anthropic's SDKs send the whole conversation
- sound for a provider that takes none; a spoken answer in a format that the provider cannot give; a file of a type that the provider does not take
- a tool of a vendor that must be called (\`tool_choice\`) and that the provider does not have
- a result of a tool that answers no call, for providers that want its name (Gemini)

## Carried over in another form

- Pictures that Gemini makes are in \`images\` of Chat Completions, and as Markdown in the text too where the channel's plugin
  \`markdown_images\` is on.
- Instructions in the midst of a conversation stand in front of it for Gemini and for Claude before Opus 4.8.
- A conversation that starts with an answer has \`...\` of the user's in front of it for Claude and on Bedrock, as has one that
  starts with a call of a tool for Gemini: they refuse it otherwise.
- Pictures in the result of a tool follow in a message of the user's for Chat Completions.
- Pictures, sounds and PDFs in a request have the type that their bytes say; a PDF that came as a picture is a document.
- Google's \`thinking_config\` of Chat Completions (in \`google\` or \`extra_body.google\`) is the wish for reasoning.
- Pictures and files given by their address keep it: the provider fetches them. For one that takes bytes only, the relay
  fetches the pictures ([which, and how](providers.md#pictures-given-by-their-addresses)); files it refuses.
- A custom tool (an input of plain text) is a function with one text, \`input\`, elsewhere; the call is returned in the requested form.
- An effort becomes a budget of tokens or a level where the provider wants one, and the other way round.
- Functions named \`googleSearch\`, \`codeExecution\` and \`urlContext\` are Google's own tools for Gemini. \`web_search_options\`
  of Chat Completions, \`web_search\` of Responses, \`web_search_20250305\` of Messages and \`googleSearch\` of Gemini stand for
  each other, but Google's is left out beside functions, which it refuses. Vendors bill searches apart.
- MCP servers of Responses (\`mcp\` with \`server_url\`, without approval) and of Messages (\`mcp_servers\` with \`mcp_toolset\`) stand for
  each other. Their calls stay at the vendor: the answer says what came of them.
- Sound that Gemini or OpenAI make in a chat is in \`audio\` of Chat Completions (WAV, or PCM in streams) and in \`inlineData\`
  of Gemini; OpenAI's voices stand for Google's. Gemini's speech models serve \`/v1/audio/speech\` as WAV or PCM.
- Groups of tools (\`namespace\` of Responses, which Codex uses for MCP servers) are flattened; calls come back in their group.
- Without a limit, Claude is asked for what the model can give, up to 32,000 tokens.
- Reasoning that a vendor signed comes back to that vendor, whichever dialect the caller speaks: in \`reasoning_details\`
  and \`extra_content\` (Chat Completions), in \`encrypted_content\` (Responses), in \`signature\` or \`data\` (Messages), in
  \`thoughtSignature\` (Gemini). Give back what you were given.
- Reasoning of other vendors of Chat Completions returns in the field in which it came: \`reasoning_content\`, \`reasoning\`,
  or a piece of the content (Mistral). Calls without reasoning have the field empty for DeepSeek from V4 on and Kimi from
  K2.5 on, which refuse them otherwise.
- Names of tools that the vendor does not take (too long, or with other characters) are replaced by shorter ones with a
  hash; calls come back under the caller's names, and under ids that the caller's dialect takes.
- Numbers in arguments, results and schemas of tools are written as they came, with all their digits.
- Schemas for Gemini have no references: what they point to stands in their place, a schema within itself is left open.
  A tool's result with a member whose name begins with \`$\` is a text there.

## Embeddings

Google's \`embedContent\` and \`batchEmbedContents\` pass as they are to Gemini, and to its newer models on Vertex AI; elsewhere they are asked for in OpenAI's form,
or in the vendor's own.

- Texts only: parts of a content are joined by line breaks; pictures, sounds and files are refused.
- \`outputDimensionality\` becomes \`dimensions\`. \`taskType\` goes on to Vertex AI, and to Cohere as its \`input_type\`; \`title\` to
  Vertex AI. Others have no such wishes. All requests of a batch have to say the same.
- \`autoTruncate\`, \`documentOcr\` and \`audioTrackExtraction\` are lost.
- OpenAI's lists of token numbers are refused by all who do not speak its form: they count in one vendor's vocabulary.
- Vendors that take fewer texts at once than were sent (one: Gemini's models on Vertex AI, Amazon's Titan and Nova; 96:
  Cohere) are asked in several requests, four of them at once, at most 250. One that fails fails the call, which then
  costs nothing; their usage is added up and charged once.

## Videos

A video that is ordered in one dialect is made by any vendor that can do all that the order says; a channel whose vendor
cannot is passed over, and if none is left the field is named in a 400. Nothing of an order is dropped silently.

- Size, resolution and ratio follow from each other: \`1280x720\` is \`720p\` and \`16:9\`.
- In OpenAI's and the generic dialect one picture is the first frame, two are the first and the last, more are references.
- Addresses of pictures and videos go to the vendor, which fetches them; only \`http\` and \`https\` are taken, and \`gs\`
  in Google's dialects. Callers' addresses for notifications stay here.
- Parameters in a vendor's own names (\`metadata\`, other fields, Google's \`parameters\`) reach vendors that have them on a
  list; those that would change the price or an address are refused.
- One video per order. \`storageUri\`, \`pubsubTopic\`, \`mask\`, an interaction without \`background\` and OpenAI's \`file_id\`
  are refused.
- Statuses are those of the dialect: a cancelled video is \`failed\` where there is no such word.
- Results are signed addresses of this server in every dialect; Vertex AI's form has them in \`gcsUri\`.

## Lost from the caller's request

${Object.values(dialects)
  .map(({ id, dropped }) => `### ${titles[id]}\n\n${table(dropped)}`)
  .join('\n\n')}

## Lost on the way to the provider

Fields are named as the neutral form names them (\`server/src/chat/chat.ts\`).

${[openAiWire, responsesWire, anthropicWire, geminiWire]
  .map(({ id, dropped }) => `### ${titles[id]}\n\n${table(dropped)}`)
  .join('\n\n')}
`;
}

const titles = {
  openai: 'Chat Completions',
  responses: 'Responses',
  anthropic: 'Messages (Anthropic)',
  gemini: 'generateContent (Gemini)',
};

const table = (dropped: readonly DroppedField[]): string =>
  ['| field | why |', '|---|---|', ...dropped.map(({ field, why }) => `| \`${field}\` | ${why} |`)].join('\n');
