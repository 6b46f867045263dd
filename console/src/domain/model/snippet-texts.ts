export const snippetNames = ['curl', 'python', 'typescript'] as const;
export type SnippetName = (typeof snippetNames)[number];

interface Facts {
  address: string;
  model: string;
  tokenNote: string;
  modelNote: string;
}

const key = 'sk-…';

const texts: Record<SnippetName, (facts: Facts) => string> = {
  curl: ({ address, model, tokenNote }) => `# ${tokenNote}
export KEY="${key}"

curl ${address}/chat/completions \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,

  python: ({ address, model, tokenNote, modelNote }) => `from openai import OpenAI

client = OpenAI(
    base_url="${address}",
    api_key="${key}",  # ${tokenNote}
)

stream = client.chat.completions.create(
    model="${model}",${note('#', modelNote)}
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)`,

  typescript: ({ address, model, tokenNote, modelNote }) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${address}',
  apiKey: '${key}', // ${tokenNote}
});

const stream = await client.chat.completions.create({
  model: '${model}',${note('//', modelNote)}
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
});`,
};

const note = (mark: string, words: string) => (words === '' ? '' : `  ${mark} ${words}`);

/** The code example in one language. */
export const snippetOf = (name: SnippetName, facts: Facts): string => texts[name](facts);
