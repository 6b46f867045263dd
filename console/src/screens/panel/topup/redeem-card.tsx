import { useId, useRef, useState, type SubmitEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Field } from '#ui/form/field.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { Note } from '#ui/feedback/note.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { BuyLink } from './buy-link.tsx';
import { useRedeem } from './use-redeem.ts';

/** Redeems a code. `secondary` is the low form for pages with another main action. */
export function RedeemCard({ secondary = false }: { secondary?: boolean }) {
  const { t } = useTranslation('topup');
  const money = useSiteFormat();
  const input = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const { redeem, busy, problem, added, forgetProblem } = useRedeem();
  const id = useId();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    const done = await redeem(code);
    if (done) setCode('');
    input.current?.focus();
  };
  return (
    <Card
      aria-labelledby={id}
      className={cx('min-w-0 px-6 py-5 max-sm:p-4', secondary && 'flex flex-wrap items-center gap-x-6 gap-y-3')}
    >
      <div className={secondary ? 'min-w-0 flex-1 basis-60' : 'mb-4'}>
        <h2 id={id} className={secondary ? 'text-14' : 'text-16'}>
          {t('redeem')}
        </h2>
        <p className={cx('mt-0.5 text-text2', secondary ? 'text-12' : 'text-13')}>
          {t('redeemText')} <BuyLink />
        </p>
      </div>
      <form
        noValidate
        onSubmit={(event) => void submit(event)}
        className={cx(
          'flex items-start gap-3 max-sm:w-full',
          secondary ? 'min-w-0 flex-1 basis-80' : 'max-sm:flex-wrap',
        )}
      >
        <Field
          label={t('code')}
          hideLabel
          error={problem}
          className={cx('max-w-120 flex-1', !secondary && 'max-sm:basis-full')}
        >
          {(aria) => (
            <input
              {...aria}
              ref={input}
              className="box font-mono text-13"
              placeholder={t('paste')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={200}
              value={code}
              onChange={(event) => {
                setCode(event.target.value);
                forgetProblem();
              }}
            />
          )}
        </Field>
        <Button
          type="submit"
          variant={secondary ? 'default' : 'primary'}
          busy={busy}
          className={cx('h-9 max-sm:h-11', !secondary && 'max-sm:flex-1')}
        >
          {t('submit')}
        </Button>
      </form>
      {added && (
        <div className={secondary ? 'w-full' : 'mt-4'}>
          <Note key={added.key} tone="ok" live>
            {t(added.balance === undefined ? 'added' : 'addedTo', {
              amount: formatMoney(added.credits, money),
              before: formatMoney((added.balance ?? 0) - added.credits, money),
              after: formatMoney(added.balance ?? 0, money),
            })}
          </Note>
        </div>
      )}
    </Card>
  );
}
