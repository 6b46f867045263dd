import { type Log, logApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

/** The kept request and reply, read only on demand: a reading by an administrator is in the audit log. */
export function LogContent({ row, admin }: { row: Log; admin: boolean }) {
  const { t } = useTranslation('log');
  const { id } = row;
  const { isRoot, user } = useSession();
  const [wanted, setWanted] = useState(false);
  const params = { id };
  const { data, error } = useQuery({
    queryKey: [logApi.ownContent.path, id, admin],
    queryFn: ({ signal }) =>
      admin ? call(logApi.content, { params, signal }) : call(logApi.ownContent, { params, signal }),
    enabled: wanted,
    staleTime: Infinity,
    retry: false,
    meta: { quiet: true },
  });
  if (admin && !isRoot) return null;
  return (
    <DetailSection title={t('contentTitle')}>
      {!wanted && <Button onClick={() => setWanted(true)}>{t('showContent')}</Button>}
      {wanted && !data && !error && <Skeleton className="h-30 rounded-card" />}
      {error && <p className="text-13 text-text2">{t('contentGone')}</p>}
      {data && (
        <div className="grid grid-cols-1 gap-3 [&_pre]:max-h-80 [&_pre]:overflow-y-auto [&_pre]:whitespace-pre-wrap [&_pre]:break-words">
          <Part name={t('contentRequest')} text={readable(data.request)} />
          {data.reply === '' ? (
            <p className="text-13 text-text2">{t('noReply')}</p>
          ) : (
            <Part name={t('contentReply')} text={readable(data.reply)} />
          )}
          {data.truncated && <p className="text-12 text-text2">{t('contentCut')}</p>}
          {!data.truncated && row.user_id === user?.id && <TryAgain row={row} />}
        </div>
      )}
    </DetailSection>
  );
}

/** Opens the request in the playground, which sends nothing by itself. */
function TryAgain({ row: { id, metadata, model_name: billed } }: { row: Log }) {
  const { t } = useTranslation('log');
  const { endpoint = '', requested_model: model = billed } = metadata ?? {};
  const dialect = dialectOf(endpoint);
  if (!dialect) return null;
  return (
    <Button
      className="justify-self-start"
      render={<Link to="/panel/playground" search={{ request: id, dialect, model }} />}
    >
      {t('tryAgain')}
    </Button>
  );
}

/** The playground's name for the API of an endpoint; undefined: it cannot call it. */
function dialectOf(endpoint: string): string | undefined {
  if (endpoint.endsWith('/chat/completions')) return 'chat';
  if (endpoint.endsWith('/responses')) return 'responses';
  if (endpoint.endsWith('/messages')) return 'messages';
  return /generateContent$/i.test(endpoint) ? 'gemini' : undefined;
}

function Part({ name, text }: { name: string; text: string }) {
  return (
    <div className="min-w-0">
      <h4 className="mb-1 text-12 font-normal text-text2">{name}</h4>
      <CodeBlock code={text} label={name} />
    </div>
  );
}

/** JSON with line breaks; other texts unchanged. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // a form, a stream, or cut
  }
}
