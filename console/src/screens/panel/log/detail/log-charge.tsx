import { addCredits, costOfRow, savingsOf, type Log } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { pricesQuery } from '#api/model-owners.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { formatDollars, moneyInFull } from '#ui/format/money.ts';
import { cx } from '#ui/basic/cx.ts';
import { Note } from '#ui/feedback/note.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDateTime, formatDuration } from '#ui/format/time.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { chargedOf, chargeOf, groupDigits, ratesOfRow, type Charge } from '#domain/charge/charge-of.ts';
import { ChargeItems } from '#domain/charge/charge-table.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { UsageFindings } from './log-usage-check.tsx';

/** Tokens of each kind × ratio × group ratio = credits, adding up to the charge. */
export function LogCharge({ row }: { row: Log }) {
  const { t, i18n } = useTranslation('log');
  const phone = useIsPhone();
  const version = useVersionText(row);
  const charge = chargeOf(row);
  const rates = ratesOfRow(row);
  const { outcome, usage_source: source, ended_by: endedBy, reply_cache: cached } = row.metadata ?? {};
  const below = phone && version && <p className="text-12 text-text3">{version}</p>;
  if (outcome === 'failed' || outcome === 'released') {
    return (
      <DetailSection title={t('chargeTitle')} aside={!phone && version}>
        <div className="grid grid-cols-1 gap-2">
          <Note>{t(outcome === 'failed' ? 'noCharge' : 'noChargeReleased')}</Note>
          {below}
        </div>
      </DetailSection>
    );
  }
  return (
    <DetailSection title={t('chargeTitle')} aside={!phone && version}>
      <div className="grid grid-cols-1 gap-2">
        {!charge && <Note>{t('noTerms')}</Note>}
        {charge && rates && <ChargeItems charge={charge} charged={chargedOf(row)} {...rates} />}
        <PaidByPlans row={row} />
        <ServedNote row={row} />
        {charge && !charge.agrees && (
          <Note tone="warn">
            {t('chargedOtherwise', { expected: formatWhole(charge.credits), charged: formatWhole(chargedOf(row)) })}
          </Note>
        )}
        {cached && (
          <Note>
            {cached.age === 0
              ? t('cachedReplyNow')
              : t('cachedReplyText', { age: formatDuration(cached.age, i18n.language.replace('_', '-')) })}
          </Note>
        )}
        {outcome === 'broken' && <Note tone="warn">{t('brokenCharge')}</Note>}
        <UsageFindings row={row} />
        {endedBy !== undefined && <Note tone="warn">{t(endedByText(endedBy))}</Note>}
        {source === 'estimate' && endedBy === undefined && <Note>{t('estimated')}</Note>}
        {charge && <CacheSavings row={row} />}
        <Cost row={row} />
        {charge && <Hint row={row} charge={charge} />}
        {below}
      </div>
    </DetailSection>
  );
}

/** The part of each plan, and of the balance. */
function PaidByPlans({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const plans = row.metadata?.plans ?? [];
  if (plans.length === 0) return null;
  return (
    <ul className="text-13 tabular-nums">
      {plans.map(({ id, name, credits }) => (
        <li key={id}>{t('paidByPlan', { name, credits: formatWhole(credits) })}</li>
      ))}
      {row.quota > 0 && <li>{t('paidByBalance', { credits: formatWhole(row.quota) })}</li>}
    </ul>
  );
}

function endedByText(endedBy: string) {
  if (endedBy === 'user_quota') return 'endedByUser';
  return endedBy === 'token_quota' ? 'endedByToken' : 'endedByBudget';
}

/** Cost of the call for the operator, and the margin; only administrators receive it. */
function Cost({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const site = useSiteFormat();
  const cost = costOfRow(row);
  if (cost === undefined) return null;
  const isStated = row.metadata?.attempts?.some((attempt) => attempt.cost?.by === 'provider') === true;
  const margin = addCredits(String(chargedOf(row)), cost, -1n);
  const money = (credits: string) => moneyInFull(Number(credits), site).dollars;
  return (
    <p className={cx('text-12 tabular-nums', margin.startsWith('-') ? 'text-bad' : 'text-text2')}>
      {t(isStated ? 'costStated' : 'costComputed', {
        credits: groupDigits(cost),
        money: money(cost),
        margin: groupDigits(margin),
        marginMoney: money(margin),
      })}
    </p>
  );
}

/** Difference in cost without a prompt cache. */
function CacheSavings({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const site = useSiteFormat();
  const saved = savingsOf(row);
  if (!saved || saved.exact === '0') return null;
  const isCost = saved.exact.startsWith('-');
  const credits = groupDigits(saved.exact.replace('-', ''));
  return (
    <p className="text-12 text-text2 tabular-nums">
      {t(isCost ? 'cacheCost' : 'cacheSaved', { credits, money: moneyInFull(Math.abs(saved.credits), site).dollars })}
    </p>
  );
}

/** How the upstream says it served the call, and options without a price. */
function ServedNote({ row }: { row: Log }) {
  const { t } = useTranslation(['charge', 'priceRule']);
  const { served, unpriced = [], rules = [] } = row.metadata ?? {};
  // The moment explains a price by hours or dates alone.
  const isTimed = rules.some(({ zone, valid_from: from, valid_to: to }) => (zone ?? from ?? to) !== undefined);
  const parts = [
    served?.model,
    served?.fingerprint,
    ...(served?.modes ?? []).map((mode) => t(`priceRule:modes.${mode}`)),
    served?.region !== undefined && t('priceRule:regions', { regions: served.region }),
    served?.prompt_tokens !== undefined && t('servedTokens', { tokens: formatWhole(served.prompt_tokens) }),
    served?.at !== undefined && isTimed && formatDateTime(served.at),
  ].filter(Boolean);
  return (
    <>
      {parts.length > 0 && (
        <p className="text-12 text-text2 tabular-nums">{t('served', { parts: parts.join(' · ') })}</p>
      )}
      {unpriced.length > 0 && <Note tone="warn">{t('unpriced', { fields: unpriced.join(', ') })}</Note>}
    </>
  );
}

/** Value of a ratio and of a credit, with the group ratio. */
function Hint({ row, charge }: { row: Log; charge: Charge }) {
  const { t } = useTranslation('log');
  const { quotaPerUnit } = useSiteFormat();
  const groups = useUserGroups();
  const symbol = row.metadata?.group_name ?? '';
  const credit = formatDollars(1 / quotaPerUnit, 6);
  return (
    <p className="text-12 text-text3 tabular-nums">
      {t(charge.perCall ? 'unitTimes' : 'unit', { credit })}
      {symbol !== '' &&
        charge.groupRatio !== '1' &&
        t('unitGroup', { group: groups[symbol]?.name ?? symbol, ratio: charge.groupRatio })}
    </p>
  );
}

/** The price's version, and its start date while it is in force. */
function useVersionText(row: Log): string | undefined {
  const { t } = useTranslation('log');
  const prices = useQuery(pricesQuery).data;
  const version = row.metadata?.price_version;
  if (!version) return undefined;
  const since = prices?.find((price) => price.version === version)?.valid_from;
  const text = t('priceVersion', { version: formatWhole(version) });
  return since ? `${text} · ${t('priceSince', { time: formatDateTime(since).slice(0, 16) })}` : text;
}
