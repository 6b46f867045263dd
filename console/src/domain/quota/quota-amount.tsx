import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { FieldRow } from '#ui/overlay/drawer-section.tsx';
import { Field } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { creditsOf, dollarsOf } from '#ui/format/money.ts';
import { formatWhole } from '#ui/format/number.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { useFormField } from '#ui/form/use-form-field.ts';
import { quotaModes, type QuotaMode } from './quota-change.ts';
import type { QuotaControl } from './quota-form.ts';

interface Props {
  control: QuotaControl;
  mode: QuotaMode;
  onMode: (mode: QuotaMode) => void;
}

const usualDollars = [5, 10, 20, 50, 100, 500];

/** Direction and amount of the change, typed in dollars or in credits. */
export function QuotaAmount({ control, mode, onMode }: Props) {
  const { t } = useTranslation('quota');
  const money = useSiteFormat();
  const { value, change, blur, ref, shell } = useFormField({ control, name: 'quota', label: t('dollars') });
  const credits = typeof value === 'number' ? value : null;
  // No error yet if the direction is chosen before the amount.
  const left = () => credits !== null && blur();
  return (
    <>
      <Segmented
        label={t('way')}
        value={mode}
        options={quotaModes.map((each) => ({ value: each, label: t(each) }))}
        onChange={onMode}
        className="w-full! *:flex-1 *:justify-center"
      />
      <div>
        <FieldRow>
          <Field {...shell}>
            {(aria) => (
              <NumberBox
                aria={{ ...aria, 'data-first-focus': true }}
                inputRef={ref}
                value={credits === null ? null : dollarsOf(credits, money)}
                onChange={(dollars) => change(dollars === null ? null : creditsOf(dollars, money))}
                onBlur={left}
                before="$"
                left
              />
            )}
          </Field>
          <Field label={t('credits')} unit={t('creditsUnit', { credits: formatWhole(money.quotaPerUnit) })}>
            {(aria) => (
              <NumberBox
                aria={aria}
                inputRef={() => {}}
                value={credits}
                onChange={(next) => change(next === null ? null : Math.round(next))}
                onBlur={left}
                whole
                left
              />
            )}
          </Field>
        </FieldRow>
        <div className="mt-3 flex flex-wrap gap-2">
          {usualDollars.map((dollars) => (
            <Usual
              key={dollars}
              dollars={dollars}
              on={credits === creditsOf(dollars, money)}
              onPick={() => {
                change(creditsOf(dollars, money));
                blur();
              }}
            />
          ))}
        </div>
      </div>
    </>
  );
}

function Usual({ dollars, on, onPick }: { dollars: number; on: boolean; onPick: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onPick}
      className={cx(
        'touch h-7 rounded-full border px-3 text-13 tabular-nums transition-colors max-sm:h-9',
        on ? 'border-accent-line bg-accent-soft font-title' : 'border-line2 bg-card text-text2 hover:bg-hover',
      )}
    >
      ${dollars}
    </button>
  );
}
