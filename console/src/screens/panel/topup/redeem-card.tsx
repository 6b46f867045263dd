import { useId, useRef, useState, type SubmitEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { Field } from '#ui/form/field.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { Note } from '#ui/feedback/note.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { BuyLink } from './buy-link.tsx';
import { useRedeem } from './use-redeem.ts';

export function RedeemCard() {
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
    <Card aria-labelledby={id} className="px-6 py-5 max-sm:p-4">
      <h2 id={id} className="text-16">
        {t('redeem')}
      </h2>
      <p className="mt-0.5 mb-4 text-13 text-text2">
        {t('redeemText')} <BuyLink />
      </p>
      <form noValidate onSubmit={(event) => void submit(event)} className="flex items-start gap-3 max-sm:flex-wrap">
        <Field label={t('code')} hideLabel error={problem} className="max-w-120 flex-1 max-sm:basis-full">
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
        <Button type="submit" variant="primary" busy={busy} className="h-9 max-sm:h-11 max-sm:flex-1">
          {t('submit')}
        </Button>
      </form>
      {added && (
        <div className="mt-4">
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
