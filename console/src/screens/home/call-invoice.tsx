import { type ChargePart, type FeeEvent, feeEvents } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import { Money } from '#ui/format/money.tsx';
import { shownAt, type CallStory } from './call-story.ts';
import { Shown } from './shown.tsx';

interface Props {
  group: number;
  story: CallStory;
  /** The last line is shown. */
  onEnd: () => void;
}

/** The charge of the call line by line, and the balance before and after it. */
export function CallInvoice({ group, story: { charge, before, after }, onEnd }: Props) {
  const { t } = useTranslation('home');
  const { parts, subtotal, rounding, credits } = charge;
  const charged = { exact: formatPlain(Number(subtotal)), credits: formatWhole(credits) };
  const at = (line: number) => shownAt.invoice(parts.length + line);
  return (
    <section
      aria-labelledby="home-charge"
      className="flex min-w-0 flex-col rounded-card border border-line bg-card px-5 tabular-nums max-sm:px-4"
    >
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-3 border-b border-line">
        <h3 id="home-charge" className="text-14">
          {t('chargeTitle')}
        </h3>
        <span className="text-12 text-text3">{t('chargeFormula')}</span>
      </div>
      <dl>
        {parts.map((part, line) => (
          <Shown key={part.kind} at={shownAt.invoice(line)}>
            <Part part={part} group={group} />
          </Shown>
        ))}
      </dl>
      <Shown
        at={at(0)}
        className="flex min-h-14 flex-1 flex-wrap items-center justify-between gap-x-4 border-b border-line"
      >
        <span className="text-13 text-text2">{t(rounding === '0' ? 'chargeExact' : 'chargeRounded', charged)}</span>
        <Money credits={credits} exact className="text-16 font-medium" />
      </Shown>
      <dl className="py-2 text-13">
        <Balance name={t('demo.before')} credits={before} at={at(1)} />
        <Balance name={t('demo.after')} credits={after} at={at(2)} onShown={onEnd} />
      </dl>
    </section>
  );
}

/** The example call has no events with a fee. */
const isFee = (kind: ChargePart['kind']): kind is FeeEvent => feeEvents.some((event) => event === kind);

function Part({ part: { kind, count, ratio, credits }, group }: { part: ChargePart; group: number }) {
  const { t } = useTranslation('home');
  return (
    <div className="flex h-11 items-center gap-2 border-b border-line text-13">
      <dt className="w-24 flex-none truncate text-text2">{isFee(kind) ? kind : t(`charge.${kind}`)}</dt>
      <dd className="flex min-w-0 flex-1 justify-between gap-2">
        <span className="truncate text-text3">
          {formatWhole(count)} × {ratio} × {group}
        </span>
        <span>{formatPlain(Number(credits))}</span>
      </dd>
    </div>
  );
}

interface BalanceProps {
  name: string;
  credits: number;
  at: number;
  onShown?: (() => void) | undefined;
}

function Balance({ name, credits, at, onShown }: BalanceProps) {
  const { t } = useTranslation('home');
  return (
    <Shown at={at} className="flex min-h-8 items-center justify-between gap-4" onShown={onShown}>
      <dt className="text-text2">{name}</dt>
      <dd className="flex gap-3 whitespace-nowrap">
        <span className="text-text3">{t('demo.credits', { credits: formatWhole(credits) })}</span>
        <Money credits={credits} exact className="min-w-20 text-right" />
      </dd>
    </Shown>
  );
}
