import type { GuardMark, Log } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { useTokenName } from '#domain/token/use-token-name.ts';
import { cx } from '#ui/basic/cx.ts';
import { formatWhole } from '#ui/format/number.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { BlockLink } from '../block-link.tsx';

interface Fact {
  name: string;
  value: ReactNode;
  /** Spans both columns. */
  wide?: boolean;
}

/** Caller, address, model and options; unusual values only where present. */
export function LogRequest({ row, admin }: { row: Log; admin: boolean }) {
  const { t } = useTranslation('log');
  const groups = useUserGroups();
  const m = row.metadata ?? {};
  const group = m.group_name && (groups[m.group_name]?.name ?? m.group_name);
  const endpoint = [m.endpoint, row.is_stream && t('stream')].filter(Boolean).join(' · ');
  const status = [m.status, m.error].filter(Boolean).join(' · ');
  const facts: (Fact | false | '' | undefined | 0)[] = [
    admin && { name: t('user'), value: row.username },
    { name: t('token'), value: <LogToken row={row} /> },
    row.source_ip && { name: t('ip'), value: <SourceAddress row={row} admin={admin} /> },
    endpoint && { name: t('endpoint'), value: endpoint },
    group && { name: t('group'), value: group },
    m.finish_reason && { name: t('finishReason'), value: m.finish_reason },
    status && { name: t('answerStatus'), value: status },
    m.reserved && { name: t('reserved'), value: <Reserved reserved={m.reserved} charged={row.quota} /> },
    m.usage_source &&
      m.outcome !== 'failed' && {
        name: t('usageSource'),
        value: t(m.usage_source === 'estimate' ? 'fromEstimate' : 'fromUpstream'),
      },
    m.requested_model && { name: t('requestedModel'), value: m.requested_model },
    m.virtual && {
      name: t('virtualModel'),
      value: t(m.virtual.copy_of === undefined ? 'virtualStep' : 'virtualCopy', m.virtual),
      wide: true,
    },
    m.guard && {
      name: t('guard'),
      value: m.guard.map((mark) => <div key={`${mark.rule} ${mark.at}`}>{t(guardTextOf(mark), mark)}</div>),
      wide: true,
    },
    m.wishes && {
      name: t('wishes'),
      value: <span className="font-mono text-12 break-all">{JSON.stringify(m.wishes)}</span>,
      wide: true,
    },
    m.provider_limits && {
      name: t('providerLimits'),
      value: <span className="font-mono text-12 break-all">{JSON.stringify(m.provider_limits)}</span>,
      wide: true,
    },
    m.upstream_model && { name: t('upstreamModel'), value: m.upstream_model },
    { name: t('requestId'), value: <span className="font-mono text-12">{row.request_id}</span>, wide: true },
    m.trace_id && { name: t('traceId'), value: <span className="font-mono text-12">{m.trace_id}</span>, wide: true },
  ];
  return (
    <DetailSection title={t('requestTitle')}>
      <FactList facts={facts.filter((fact) => typeof fact === 'object')} />
    </DetailSection>
  );
}

function guardTextOf({ action, at }: GuardMark) {
  if (action === 'unchecked') return 'guardUnchecked';
  if (action === 'refuse') return 'guardRefused';
  return at === 'request' ? 'guardRequest' : 'guardAnswer';
}

/** The source address; administrators can block it. */
export function SourceAddress({ row: { source_ip: ip, request_id: id }, admin }: { row: Log; admin: boolean }) {
  return (
    <>
      {ip}
      {admin && <BlockLink network={ip} reason={id} />}
    </>
  );
}

/** The token of a call, as it was called then, with a link to what it is now. */
export function LogToken({ row: { token_id: id, token_name: name, user_id } }: { row: Log }) {
  const { user } = useSession();
  const tokenName = useTokenName();
  if (id === 0) return tokenName(name);
  return (
    <Link
      to="/panel/token"
      search={user_id === user?.id ? { show: id } : { scope: 'all', show: id }}
      className="text-accent hover:underline"
    >
      {tokenName(name) || `#${id}`}
    </Link>
  );
}

export function FactList({ facts }: { facts: Fact[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-2 text-13 max-sm:grid-cols-1 max-sm:text-14">
      {facts.map(({ name, value, wide }) => (
        <div key={name} className={cx('flex min-w-0 gap-3', wide && 'sm:col-span-2')}>
          <dt className="w-24 flex-none text-text2 max-sm:w-26">{name}</dt>
          <dd className="min-w-0 flex-1 break-words tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Credits reserved before the call, and the part not charged. */
function Reserved({ reserved, charged }: { reserved: number; charged: number }) {
  const { t } = useTranslation('log');
  if (charged === reserved) return formatWhole(reserved);
  return t(charged < reserved ? 'returned' : 'added', {
    reserved: formatWhole(reserved),
    rest: formatWhole(Math.abs(reserved - charged)),
  });
}
