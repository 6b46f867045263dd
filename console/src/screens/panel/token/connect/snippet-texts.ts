import type { SnippetName } from '#domain/model/snippet-texts.ts';

interface Facts {
  /** With `/v1`. */
  address: string;
  key: string;
  model: string;
}

const texts: Record<SnippetName, (facts: Facts) => string> = {
  curl: ({ address, key, model }) => `curl ${address}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,

  python: ({ address, key, model }) => `from openai import OpenAI

client = OpenAI(
    base_url="${address}",
    api_key="${key}",
)
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,

  typescript: ({ address, key, model }) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${address}',
  apiKey: '${key}',
});
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0]?.message.content);`,
};

/** A first call in one language, ready to run. */
export const snippetOf = (name: SnippetName, facts: Facts): string => texts[name](facts);
