import { capName, type LimitMeasure, limitMeasures, periodsOf, type TokenCap } from '@relay-hub/contract';
import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Select } from '#ui/form/select.tsx';
import { CapAmount } from './cap-amount.tsx';

const firstAmounts: Record<LimitMeasure, number> = { credits: 2_500_000, requests: 60, tokens: 100_000, calls: 8 };

/** Every measure and period that a cap can have. */
const everyCap = limitMeasures.flatMap((measure) =>
  periodsOf[measure].map((period): TokenCap => ({ measure, period, amount: firstAmounts[measure] })),
);
/** Order in which new limits are offered; others follow. */
const wantedFirst = ['requests:minute', 'calls:at_once', 'tokens:minute', 'credits:month', 'credits:day'];

interface Props {
  caps: readonly TokenCap[];
  onChange: (caps: TokenCap[]) => void;
  onBlur: () => void;
  /** Index of a cap that another field shows; left out: none. */
  hidden?: number;
  /** The caps that may be chosen; left out: all. */
  isOffered?: (cap: Pick<TokenCap, 'measure' | 'period'>) => boolean;
}

const any = (): boolean => true;

/** Caps, one per line, with a button that adds the next one. */
export function CapsEditor({ caps, onChange, onBlur, hidden = -1, isOffered = any }: Props) {
  const { t } = useTranslation('token');
  const id = useId();
  const taken = new Set(caps.map(capName));
  const free = everyCap.filter((cap) => isOffered(cap) && !taken.has(capName(cap)));
  const rank = (cap: TokenCap) =>
    (wantedFirst.indexOf(capName(cap)) + wantedFirst.length + 1) % (wantedFirst.length + 1);
  const next = free.toSorted((a, b) => rank(a) - rank(b))[0];
  const periodsIn = (measure: LimitMeasure) => periodsOf[measure].filter((period) => isOffered({ measure, period }));
  const hasPeriod = (measure: LimitMeasure) => periodsIn(measure).length > 0;
  const put = (at: number, cap: TokenCap | undefined) =>
    onChange(caps.flatMap((each, i) => (i === at ? (cap ? [cap] : []) : [each])));
  return (
    <div className="grid grid-cols-1 gap-3">
      {caps.map((cap, at) => {
        if (at === hidden) return null;
        const name = t(`measures.${cap.measure}`);
        const open = (measure: LimitMeasure) => free.find((one) => one.measure === measure);
        return (
          <div
            key={at}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)_auto] items-center gap-2 max-sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]"
          >
            <div className="max-sm:col-span-2">
              <Select
                aria={ariaOf(`${id}-${at}-measure`, t('measure'))}
                value={cap.measure}
                options={limitMeasures.filter(hasPeriod).map((value) => ({
                  value,
                  label: t(`measures.${value}`),
                  disabled: value !== cap.measure && !open(value),
                }))}
                onChange={(measure) => put(at, measure === cap.measure ? cap : open(measure))}
              />
            </div>
            <div className="max-sm:order-1">
              <CapAmount
                aria={ariaOf(`${id}-${at}-amount`, t('amountOf', { name }))}
                measure={cap.measure}
                amount={cap.amount}
                onChange={(amount) => put(at, { ...cap, amount: amount ?? 0 })}
                onBlur={onBlur}
              />
            </div>
            <div className="max-sm:order-1">
              <Select
                aria={ariaOf(`${id}-${at}-period`, t('periodOf', { name }))}
                value={cap.period}
                disabled={periodsIn(cap.measure).length === 1}
                options={periodsIn(cap.measure).map((value) => ({
                  value,
                  label: t(`per.${value}`),
                  disabled: value !== cap.period && taken.has(capName({ ...cap, period: value })),
                }))}
                onChange={(period) => put(at, { ...cap, period })}
              />
            </div>
            <IconButton label={t('removeLimit', { name })} icon={X} onClick={() => put(at, undefined)} />
          </div>
        );
      })}
      <div>
        <Button icon={Plus} size="sm" disabled={!next} onClick={() => next && onChange([...caps, next])}>
          {t('addLimit')}
        </Button>
      </div>
    </div>
  );
}

const ariaOf = (id: string, label: string) => ({
  id,
  'aria-label': label,
  'aria-describedby': undefined,
  'aria-invalid': undefined,
});
