import { atClaude, atGemini, atV1, posix, quoted, type ConnectFacts, type Snippet, type Tool } from './tool.ts';

const on = '2026-11-23';
const group = 'code';

/** As text in double quotes of a POSIX shell. */
const body = (value: object): string => posix(JSON.stringify(value, null, 2));
const hello = [{ role: 'user', content: 'Hello' }];

const curl: readonly Snippet[] = [
  {
    label: 'OpenAI',
    text: (facts) => `curl ${posix(`${atV1(facts)}/chat/completions`)} \\
  -H ${posix(`Authorization: Bearer ${facts.key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${body({ model: facts.model, messages: hello })}`,
  },
  {
    label: 'Anthropic',
    text: (facts) => `curl ${posix(`${atClaude(facts)}/v1/messages`)} \\
  -H ${posix(`x-api-key: ${facts.key}`)} \\
  -H 'anthropic-version: 2023-06-01' \\
  -H 'Content-Type: application/json' \\
  -d ${body({ model: facts.model, max_tokens: 1024, messages: hello })}`,
  },
  {
    label: 'Gemini',
    text: (
      facts,
    ) => `curl ${posix(`${atGemini(facts)}/v1beta/models/${encodeURIComponent(facts.model)}:generateContent`)} \\
  -H ${posix(`x-goog-api-key: ${facts.key}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${body({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] })}`,
  },
];

const python: readonly Snippet[] = [
  {
    label: 'openai',
    text: (facts) => `from openai import OpenAI

client = OpenAI(
    base_url=${quoted(atV1(facts))},
    api_key=${quoted(facts.key)},
)
answer = client.chat.completions.create(
    model=${quoted(facts.model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    label: 'anthropic',
    text: (facts) => `from anthropic import Anthropic

client = Anthropic(
    base_url=${quoted(atClaude(facts))},
    api_key=${quoted(facts.key)},
)
answer = client.messages.create(
    model=${quoted(facts.model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content[0].text)`,
  },
  {
    label: 'google-genai',
    text: (facts) => `from google import genai
from google.genai import types

client = genai.Client(
    api_key=${quoted(facts.key)},
    http_options=types.HttpOptions(base_url=${quoted(atGemini(facts))}),
)
answer = client.models.generate_content(
    model=${quoted(facts.model)},
    contents="Hello",
)
print(answer.text)`,
  },
];

const typescript: readonly Snippet[] = [
  {
    label: 'openai',
    text: (facts) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(atV1(facts))},
  apiKey: ${quoted(facts.key)},
});
const answer = await client.chat.completions.create({
  model: ${quoted(facts.model)},
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0]?.message.content);`,
  },
  {
    label: '@anthropic-ai/sdk',
    text: (facts) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: ${quoted(atClaude(facts))},
  apiKey: ${quoted(facts.key)},
});
const answer = await client.messages.create({
  model: ${quoted(facts.model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
for (const block of answer.content) if (block.type === 'text') console.log(block.text);`,
  },
  {
    label: '@google/genai',
    text: (facts) => `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: ${quoted(facts.key)},
  httpOptions: { baseUrl: ${quoted(atGemini(facts))} },
});
const answer = await client.models.generateContent({
  model: ${quoted(facts.model)},
  contents: 'Hello',
});
console.log(answer.text);`,
  },
];

const aiSdk = (facts: ConnectFacts): string => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const hub = createOpenAICompatible({
  name: 'relayhub',
  baseURL: ${quoted(atV1(facts))},
  apiKey: ${quoted(facts.key)},
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const { text } = await generateText({
  model: hub(${quoted(facts.model)}),
  prompt: 'Hello',
});
console.log(text);`;

const langChain: readonly Snippet[] = [
  {
    label: 'Python',
    text: (facts) => `from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model=${quoted(facts.model)},
    base_url=${quoted(atV1(facts))},
    api_key=${quoted(facts.key)},
)
print(model.invoke("Hello").content)`,
  },
  {
    label: 'TypeScript',
    text: (facts) => `import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: ${quoted(facts.model)},
  apiKey: ${quoted(facts.key)},
  configuration: { baseURL: ${quoted(atV1(facts))} },
});
const answer = await model.invoke('Hello');
console.log(answer.content);`,
  },
];

const go = (facts: ConnectFacts): string => `package main

import (
	"context"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(
		option.WithBaseURL(${quoted(atV1(facts))}),
		option.WithAPIKey(${quoted(facts.key)}),
	)
	answer, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
		Model:    ${quoted(facts.model)},
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Choices[0].Message.Content)
}`;

const java = (facts: ConnectFacts): string => `import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;

public class Main {
    public static void main(String[] args) {
        OpenAIClient client = OpenAIOkHttpClient.builder()
            .baseUrl(${quoted(atV1(facts))})
            .apiKey(${quoted(facts.key)})
            .build();
        ChatCompletionCreateParams params = ChatCompletionCreateParams.builder()
            .model(${quoted(facts.model)})
            .addUserMessage("Hello")
            .build();
        client.chat().completions().create(params).choices().stream()
            .flatMap(choice -> choice.message().content().stream())
            .forEach(System.out::println);
    }
}`;

const openAi = { group, dialect: 'openai', address: '/v1' } as const;
const install = (...commands: [label: string, command: string][]) => ({
  kind: 'install' as const,
  snippets: commands.map(([label, command]) => ({ label, text: () => command })),
});

export const codeTools: readonly Tool[] = [
  {
    ...openAi,
    id: 'langchain',
    name: 'LangChain',
    mark: 'langchain',
    steps: [
      install(['Python', 'pip install langchain-openai'], ['TypeScript', 'npm install @langchain/openai']),
      { kind: 'code', snippets: langChain },
    ],
    checked: {
      by: 'measured',
      version: '1.6.0',
      on,
      source: 'requests of @langchain/openai; langchain-openai 1.7.4 source code',
    },
  },
  {
    ...openAi,
    id: 'vercel-ai-sdk',
    name: 'Vercel AI SDK',
    mark: 'vercel',
    steps: [
      install(['', 'npm install ai @ai-sdk/openai-compatible']),
      { kind: 'code', snippets: [{ label: 'TypeScript', text: aiSdk }] },
    ],
    note: 'aiSdk',
    checked: { by: 'measured', version: '3.0.92', on, source: 'requests of @ai-sdk/openai-compatible' },
  },
  {
    ...openAi,
    id: 'curl',
    name: 'curl',
    mark: 'curl',
    steps: [{ kind: 'code', snippets: curl }],
    checked: { by: 'measured', on, source: 'run by the tests of this product' },
  },
  {
    ...openAi,
    id: 'python',
    name: 'Python',
    mark: 'python',
    steps: [
      install(
        ['openai', 'pip install openai'],
        ['anthropic', 'pip install anthropic'],
        ['google-genai', 'pip install google-genai'],
      ),
      { kind: 'code', snippets: python },
    ],
    checked: { by: 'source', on, source: 'openai 3.54.0, anthropic 2.12.0, google-genai 3.4.0' },
  },
  {
    ...openAi,
    id: 'typescript',
    name: 'TypeScript',
    mark: 'typescript',
    steps: [
      install(
        ['openai', 'npm install openai'],
        ['@anthropic-ai/sdk', 'npm install @anthropic-ai/sdk'],
        ['@google/genai', 'npm install @google/genai'],
      ),
      { kind: 'code', snippets: typescript },
    ],
    checked: { by: 'measured', on, source: 'run by the tests of this product' },
  },
  {
    ...openAi,
    id: 'go',
    name: 'Go',
    mark: 'go',
    steps: [
      install(['', 'go get github.com/openai/openai-go/v3']),
      { kind: 'code', snippets: [{ label: 'Go', text: go }] },
    ],
    checked: { by: 'source', version: '3.96.0', on, source: 'openai/openai-go' },
  },
  {
    ...openAi,
    id: 'java',
    name: 'Java',
    mark: 'java',
    steps: [
      install(['', 'implementation("com.openai:openai-java:4.41.0")']),
      { kind: 'code', snippets: [{ label: 'Java', text: java }] },
    ],
    checked: { by: 'docs', version: '4.41.0', on, source: 'openai/openai-java README' },
  },
];
