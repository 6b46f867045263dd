import { useTranslation } from '#i18n/use-translation.ts';
import { SuccessRate } from '#domain/channel/health-strip.tsx';
import { useTokenName } from '#domain/token/use-token-name.ts';
import { Status } from '#ui/feedback/status.tsx';
import { formatQuantile, formatWhole } from '#ui/format/number.ts';
import { formatLeft } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';
import type { FlowSide, NamedEnd } from './flow-ends.ts';
import { useReasonText } from './use-reason-text.ts';

/** Names of ends, and the small line under them. */
export function useEndText(side: FlowSide | 'channels') {
  const { t } = useTranslation('cockpit');
  const tokenName = useTokenName();
  const nameOf = ({ name, others = 0 }: NamedEnd): string =>
    others > 0 ? t(`others.${side}`, { count: others, total: formatWhole(others) }) : name;
  const factsOf = ({ size, refused, failed, token, tokens = 0 }: NamedEnd): string => {
    const facts = [
      refused > 0 && (refused === size ? t('allRefused') : t('refusedOf', { calls: formatWhole(refused) })),
      failed > 0 && t('failedOf', { calls: formatWhole(failed) }),
      token &&
        (tokens > 1 ? t('tokens', { count: tokens - 1, total: tokens, token: tokenName(token) }) : tokenName(token)),
    ];
    return facts.filter(Boolean).join(' · ');
  };
  return { nameOf, factsOf };
}

const kinds = { well: undefined, slow: 'slow', failing: 'failing', frozen: 'frozen' } as const;

/** State of a channel in one line: a word for trouble, its success rate otherwise. */
export function ChannelFacts({ end: { channel, size, failed } }: { end: NamedEnd }) {
  const { t } = useTranslation('cockpit');
  const reasonOf = useReasonText();
  const now = useNow(1);
  const state = channel ? kinds[channel.state] : undefined;
  if (!channel || !state)
    return <SuccessRate of={{ requests: size, failures: failed }} text={(share) => t('okShare', { share })} />;
  const { reason, reason_count: times, first_token: first, usual_first_token: usual } = channel;
  const left = channel.state === 'frozen' ? formatLeft(channel.frozen_until - now) : undefined;
  const why = reason && t('timesReason', { times: formatWhole(times), reason: reasonOf(reason) });
  const slow =
    channel.state === 'slow' &&
    first !== null &&
    usual !== null &&
    t('slow', { first: formatQuantile(first), usual: formatQuantile(usual) });
  return (
    <span className="flex min-w-0 items-center gap-1.5 tabular-nums">
      <span className="flex flex-none [&_span]:text-12!">
        <Status kind={state} note={left} />
      </span>
      <span className="truncate text-text2">
        {slow ||
          (failed > 0 &&
            [t('ofSize', { failed: formatWhole(failed), total: formatWhole(size) }), why].filter(Boolean).join(', '))}
      </span>
    </span>
  );
}
