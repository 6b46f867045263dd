import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress } from '#api/site.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { snippetNames, snippetOf, type SnippetName } from '#domain/model/snippet-texts.ts';
import { availableQuery } from './dashboard-api.ts';
import { cheapestChatModel } from './models.ts';

export const connectId = 'dashboard-connect';

const labels = { curl: 'curl', python: 'Python', typescript: 'TypeScript' } satisfies Record<SnippetName, string>;

/** Base URL and an example call that works once a key is filled in. */
export function ConnectCard() {
  const { t } = useTranslation('dashboard');
  const { data: available } = useQuery(availableQuery);
  const [name, setName] = useState<SnippetName>('curl');
  const address = `${useServerAddress()}/v1`;
  const code = snippetOf(name, {
    address,
    model: cheapestChatModel(available) ?? t('exampleModel'),
    tokenNote: t('exampleKey'),
    modelNote: '',
  });
  return (
    <Card
      id={connectId}
      tabIndex={-1}
      aria-labelledby={`${connectId}-title`}
      className="flex min-w-0 scroll-mt-20 flex-col lg:min-h-87 outline-offset-2"
    >
      <CardHead id={`${connectId}-title`} title={t('connect')} />
      <div className="px-4 pb-4">
        <div className="box flex items-center gap-1 pr-1!">
          <span className="min-w-0 flex-1 truncate font-mono text-13">{address}</span>
          <CopyButton text={address} name={t('address')} />
        </div>
        <p className="mt-1.5 text-12 text-text3">{t('connectText')}</p>
        <Segmented
          label={t('example')}
          value={name}
          options={snippetNames.map((value) => ({ value, label: labels[value] }))}
          onChange={setName}
          className="mt-3 mb-2"
        />
        <div className="*:*:first:h-33 *:*:first:overflow-auto *:*:first:wrap-anywhere *:*:first:whitespace-pre-wrap">
          <CodeBlock code={code} label={`${t('example')}: ${labels[name]}`} />
        </div>
        <Link
          to="/panel/token"
          search={{ connect: 'any' }}
          className="mt-3 inline-flex min-h-8 items-center gap-1.5 text-13 text-accent hover:underline max-sm:min-h-10"
        >
          {t('useInTool')}
          <Icon of={ArrowRight} size={14} />
        </Link>
      </div>
    </Card>
  );
}
