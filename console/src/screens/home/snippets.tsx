import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { type SnippetName, snippetNames, snippetOf } from '#domain/model/snippet-texts.ts';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';

const tokens =
  /("[^"\n]*"|'[^'\n]*')|((?:^|\s)(?:#|\/\/) .*$)|\b(from|import|const|new|await|export|curl|True|true)\b/gm;
const looks = ['text-ok', 'text-text3', 'text-accent'];

/** Code with highlighted strings, comments and keywords. */
function Highlighted({ code }: { code: string }) {
  // split() returns the plain text before every match, then the three groups.
  return (
    <code>
      {code.split(tokens).map((piece, index) => {
        const look = looks[(index % 4) - 1];
        return look && piece ? (
          <span key={index} className={look}>
            {piece}
          </span>
        ) : (
          piece
        );
      })}
    </code>
  );
}

const tabs = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'typescript', label: 'TypeScript' },
] satisfies { value: SnippetName; label: string }[];

interface Props {
  address: string;
  model: string | undefined;
  count: number;
}

/** A first call in three languages, with this site's address and one of its models. */
export function Snippets({ address, model, count }: Props) {
  const { t } = useTranslation('home');
  const [name, setName] = useState<SnippetName>(snippetNames[1]);
  const code = snippetOf(name, {
    address,
    model: model ?? 'model',
    tokenNote: t('snippetToken'),
    modelNote: count > 0 ? t('snippetModel', { count }) : '',
  });
  return (
    <div className="min-w-0 overflow-hidden rounded-card border border-line bg-card">
      <Tabs
        label={t('snippets')}
        id="snippet"
        value={name}
        tabs={tabs}
        onChange={setName}
        className="pr-2 pl-4.5 text-14"
      >
        <CopyButton text={code} name={t('snippets')} variant="ghost">
          {t('copy')}
        </CopyButton>
      </Tabs>
      <TabPanel id="snippet" value={name}>
        <pre
          tabIndex={0}
          className="min-h-66 overflow-x-auto bg-sunk px-5 py-4.5 font-mono text-[13px]/5.5 focus-visible:-outline-offset-2 max-sm:text-[11.5px]/5"
        >
          <Highlighted code={code} />
        </pre>
      </TabPanel>
    </div>
  );
}
