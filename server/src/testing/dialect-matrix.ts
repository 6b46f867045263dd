/** Who asks: an official client and the dialect that it speaks. */
export const matrixClients = {
  openai: '`openai`, Chat Completions',
  responses: '`openai`, Responses',
  anthropic: '`@anthropic-ai/sdk`, Messages',
  gemini: '`@google/genai`, generateContent',
  ai: '`ai` with `@ai-sdk/openai-compatible`',
} as const;
export type MatrixClient = keyof typeof matrixClients;

/** Who answers: a channel type by what it speaks. */
export const matrixProviders = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  bedrock: 'Bedrock Converse',
  cohere: 'Cohere',
  ollama: 'Ollama',
} as const;
export type MatrixProvider = keyof typeof matrixProviders;

/** What has been seen to work, in the words of the page. */
export class Matrix {
  readonly #seen = new Map<string, Set<string>>();

  saw(client: MatrixClient, provider: MatrixProvider, what: string): void {
    const key = `${client} ${provider}`;
    const seen = this.#seen.get(key) ?? new Set();
    this.#seen.set(key, seen.add(what));
  }

  /** The table as the page docs/dialects.md. */
  page(): string {
    const providers = Object.entries(matrixProviders);
    const rows = Object.entries(matrixClients).map(([client, title]) => {
      const cells = providers.map(([provider]) => [...(this.#seen.get(`${client} ${provider}`) ?? [])].join(', '));
      return `| ${[title, ...cells].join(' | ')} |`;
    });
    return `# Dialects in, providers out

Each cell tells what an official client at the left has done through Relay Hub at a simulated provider above it: chat,
stream, tools (two calls at once), images in, structured output, embeddings. A stream that the provider breaks off reaches
every client as an error, and a model that nobody has is refused in its own words. The page is made by
\`server/src/relay/dialects.test.ts\` from what it saw, on both databases. What a conversion cannot carry over stands in
[conversions](conversions.md) and [providers](providers.md).

| client | ${providers.map(([, title]) => title).join(' | ')} |
|---|${'---|'.repeat(providers.length)}
${rows.join('\n')}

Embeddings are asked for in OpenAI's form: the dialects of Anthropic and Gemini are not offered to callers for them, nor is
there anything to ask for in Responses. Anthropic sells none, and Bedrock's have no place yet.
`;
  }
}
