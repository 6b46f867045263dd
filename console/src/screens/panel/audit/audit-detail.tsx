import type { AuditDetail as Detail, AuditEntry } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { auditEntry } from './audit-api.ts';
import { AuditResult } from './audit-cells.tsx';
import { AuditChanges } from './audit-changes.tsx';
import { useAuditTexts } from '#domain/audit/audit-texts.ts';

interface Props {
  id: number;
  /** The list's rows, for next and previous. */
  rows: readonly AuditEntry[];
  /** Shows another entry; 0 closes. */
  onGo: (id: number) => void;
  /** Lists everything done to the same object. */
  onHistory: (entry: AuditEntry) => void;
}

export function AuditDetail({ id, rows, onGo, onHistory }: Props) {
  const { t } = useTranslation('audit');
  const { actionOf, objectOf } = useAuditTexts();
  const { data, error, isFetching, refetch } = useQuery(auditEntry(id));
  const at = rows.findIndex((row) => row.id === id);
  const known = data ?? rows[at];
  const to = (index: number) => {
    const next = at < 0 ? undefined : rows[index];
    return next && (() => onGo(next.id));
  };
  return (
    <DetailDrawer
      title={known ? `${actionOf(known)} ${objectOf(known)}`.trim() : t('title')}
      subtitle={
        known && (
          <>
            <AuditResult row={known} />
            <Time at={known.created_time} />
          </>
        )
      }
      onPrevious={to(at - 1)}
      onNext={to(at + 1)}
      footer={
        known &&
        known.object_id !== '' && (
          <Button icon={History} onClick={() => onHistory(known)}>
            {t('history')}
          </Button>
        )
      }
      onClose={() => onGo(0)}
    >
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!error && !data && (
        <div className="grid grid-cols-1 gap-4 pt-2">
          {boneWidths.map((width) => (
            <Skeleton key={width} width={width} />
          ))}
        </div>
      )}
      {data && <Body entry={data} />}
    </DetailDrawer>
  );
}

const boneWidths = ['48%', '62%', '55%', '70%', '40%'];

function Body({ entry }: { entry: Detail }) {
  const { t } = useTranslation('audit');
  return (
    <>
      <Facts entry={entry} />
      {entry.code === '' && <AuditChanges before={entry.before} after={entry.after} />}
      <DrawerSection title={t('input')}>
        {entry.input === null ? (
          <p className="text-13 text-text2">{t('inputNone')}</p>
        ) : (
          <CodeBlock code={JSON.stringify(entry.input, null, 2)} label={t('input')} />
        )}
      </DrawerSection>
    </>
  );
}

function Facts({ entry }: { entry: Detail }) {
  const { t } = useTranslation('audit');
  const facts: [name: string, value: ReactNode][] = [
    [t('who'), `${entry.actor_name} #${entry.actor_id}`],
    [t('where'), [entry.ip, t(`via.${entry.via}`)].filter(Boolean).join(' · ')],
    [t('browser'), entry.user_agent || '—'],
    [
      t('path'),
      <span key="path" className="font-mono text-12">
        {entry.method} {entry.path}
      </span>,
    ],
  ];
  if (entry.code !== '')
    facts.push([
      t('refusedAs'),
      <span key="code" className="font-mono text-12">
        {entry.status} {entry.code}
      </span>,
    ]);
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 pb-5 text-13 max-sm:text-14">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-text2">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
