import { clientTable } from './client-runs.ts';

/** Official clients by dialect. */
export const matrixClients = {
  openai: '`openai`, Chat Completions',
  responses: '`openai`, Responses',
  anthropic: '`@anthropic-ai/sdk`, Messages',
  gemini: '`@google/genai`, generateContent',
  ai: '`ai` with `@ai-sdk/openai-compatible`',
} as const;
export type MatrixClient = keyof typeof matrixClients;

/** Channel types by wire. */
export const matrixProviders = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  bedrock: 'Bedrock Converse',
  cohere: 'Cohere',
  ollama: 'Ollama',
} as const;
export type MatrixProvider = keyof typeof matrixProviders;

/** Row titles in the embeddings table. */
const embedders: Record<MatrixProvider, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic Claude',
  gemini: 'Google Gemini',
  bedrock: 'Amazon Bedrock',
  cohere: 'Cohere',
  ollama: 'Ollama',
};

/** Clients with embeddings. */
export const embeddingClients = ['openai', 'gemini', 'ai'] as const satisfies MatrixClient[];
export type EmbeddingClient = (typeof embeddingClients)[number];

/** Collects working combinations for docs/dialects.md. */
export class Matrix {
  readonly #seen = new Map<string, Set<string>>();

  saw(client: MatrixClient, provider: MatrixProvider, what: string): void {
    const key = `${client} ${provider}`;
    const seen = this.#seen.get(key) ?? new Set();
    this.#seen.set(key, seen.add(what));
  }

  readonly #embedded = new Map<string, Set<EmbeddingClient>>();

  /** Records embeddings at a provider; `title` names it. */
  embedded(client: EmbeddingClient, title: string): void {
    const clients = this.#embedded.get(title) ?? new Set();
    this.#embedded.set(title, clients.add(client));
  }

  #cell(client: MatrixClient, provider: MatrixProvider): string {
    const known = embeddingClients.find((one) => one === client);
    const embedded = known && this.#embedded.get(embedders[provider])?.has(known);
    const embeddings = embedded ? 'embeddings' : known ? 'no embeddings there' : 'no embeddings in its dialect';
    return [...(this.#seen.get(`${client} ${provider}`) ?? []), embeddings].join(', ');
  }

  #embeddings(): string[] {
    return [...this.#embedded].map(([title, clients]) => {
      const cells = embeddingClients.map((client) => (clients.has(client) ? 'embeddings' : ''));
      return `| ${[title, ...cells].join(' | ')} |`;
    });
  }

  /** Generates docs/dialects.md. */
  page(): string {
    const providers = Object.entries(matrixProviders);
    const rows = Object.entries(matrixClients).map(([client, title]) => {
      const cells = providers.map(([provider]) => this.#cell(client as MatrixClient, provider as MatrixProvider)); // their keys
      return `| ${[title, ...cells].join(' | ')} |`;
    });
    return `# Dialects in, providers out

Each cell shows what an official client (left) did through Relay Hub at a simulated provider above it: chat,
stream, tools (two calls at once), images in, structured output, embeddings. A stream that the provider breaks off reaches
every client as an error, and an unknown model is refused in its own words. The page is made by
\`server/src/relay/convert/dialects.test.ts\` from what it saw, on both databases. What a conversion cannot carry over is listed in
[conversions](conversions.md) and [providers](providers.md).

| client | ${providers.map(([, title]) => title).join(' | ')} |
|---|${'---|'.repeat(providers.length)}
${rows.join('\n')}

## Embeddings

In OpenAI's form or in Google's, from every type of channel that has them. The dialects of Responses and of Anthropic know no
such call, and Anthropic sells none.

| provider | ${embeddingClients.map((client) => matrixClients[client].replace(/,.*/, '')).join(' | ')} |
|---|${'---|'.repeat(embeddingClients.length)}
${this.#embeddings().join('\n')}

## Clients

What the clients of today have done on a channel of each kind, at vendors that refuse whatever the real ones refuse: unknown
fields, tool calls without results, missing signatures. Programs run in their print mode: an answer, a command in the shell with
its result, and a second run that goes on with the conversation. The tools of libraries are used in a loop of three turns.
\`npm run clients\` installs the current versions and runs them; \`npm test\` holds the JavaScript packages against the same vendors
(\`server/src/relay/convert/agent-clients.test.ts\`).

${clientTable()}

The acceptance tests of [Open Responses](https://www.openresponses.org) of 2026-07-15, run on 2026-11-28 at the same vendors,
with a script for OpenAI's compaction and for the call of the weather tool:

| OpenAI | Anthropic | Gemini | OpenAI-compatible, chat only | DeepSeek |
|---|---|---|---|---|
| 17 of 17 | 15 of 17 | 15 of 17 | 15 of 17 | 15 of 17 |

The other two compact a conversation (\`/v1/responses/compact\`), which these vendors do not offer; the call is a 400 there.

## Tasks

Images, music and videos are ordered in one call and fetched in others. The clients and dialects of these, and what each
does, stand in [endpoints](endpoints.md#tasks); tests hold them against the clients of OpenAI and Google
(\`server/src/tasks/dialects/video-dialects.test.ts\`).
`;
  }
}
