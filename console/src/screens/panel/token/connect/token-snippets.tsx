import type { Token } from '@relay-hub/contract';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Select } from '#ui/form/select.tsx';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import type { SnippetName } from '#domain/model/snippet-texts.ts';
import { useModelChoice } from '#screens/panel/token/use-model-choice.ts';

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
const snippetOf = (name: SnippetName, facts: Facts): string => texts[name](facts);

const tabs = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'typescript', label: 'TypeScript' },
] satisfies { value: SnippetName; label: string }[];

interface Props {
  token: Token;
  /** With `/v1`. */
  address: string;
  loadKey: () => Promise<string>;
}

/** A call in three languages. The masked key is shown, the real one copied. */
export function TokenSnippets({ token, address, loadKey }: Props) {
  const { t } = useTranslation('token');
  const [name, setName] = useState<SnippetName>('curl');
  const { known, models, model = 'model', choose } = useModelChoice(token);
  const code = (key: string) => snippetOf(name, { address, key, model });
  return (
    <div className="mt-3.5">
      <Tabs label={t('examples')} id="token-example" value={name} tabs={tabs} onChange={setName} className="text-13">
        {models.length > 0 && (
          <Select
            aria={{ 'aria-label': t('model') }}
            value={model}
            options={models.map((value) => ({ value, label: value }))}
            onChange={choose}
            searchable={models.length > 12}
            className="-mr-2 h-8 w-auto! min-h-0! max-w-60 border-transparent! bg-transparent! px-2! text-13! text-text2! max-sm:h-10 max-sm:max-w-44"
          />
        )}
      </Tabs>
      <TabPanel id="token-example" value={name} className="mt-3 grid min-h-61.5">
        <CodeBlock
          code={code(token.key)}
          label={tabs.find(({ value }) => value === name)?.label ?? name}
          copy={async () => code(await loadKey())}
        />
      </TabPanel>
      <p className="mt-1.5 text-12 text-text3">{t('copyHasKey')}</p>
      {known && models.length === 0 && (
        <div className="mt-3">
          <Note tone="warn">{t('noModels')}</Note>
        </div>
      )}
    </div>
  );
}
