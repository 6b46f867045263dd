import { type SubmitEvent, useId, useRef, useState } from 'react';
import { ledgerApi, logApi, redemptionApi } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Field } from '#ui/form/field.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { Note } from '#ui/feedback/note.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { ApiError } from '#api/api-error.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';
import { useSite } from '#api/site.ts';

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

interface Added {
  /** The code; makes each success a new message. */
  key: string;
  credits: number;
  /** The new balance; undefined if it could not be fetched. */
  balance: number | undefined;
}

/** Redeems codes; holds the last result or refusal. */
function useRedeem() {
  const { t } = useTranslation('topup');
  const client = useQueryClient();
  const [added, setAdded] = useState<Added>();
  const [problem, setProblem] = useState<string>();
  const { mutateAsync, isPending: busy } = useMutation({
    mutationFn: (key: string) => call(redemptionApi.redeem, { body: { key } }),
    // Every refusal concerns the code and is shown at its field.
    meta: { quiet: true },
    gcTime: 0,
  });

  /** Whether the code was redeemed. */
  async function redeem(typed: string): Promise<boolean> {
    const key = typed.trim();
    setAdded(undefined);
    setProblem(key === '' ? t('empty') : undefined);
    if (key === '') return false;
    try {
      const credits = await mutateAsync(key);
      // The code is redeemed even if the new balance cannot be fetched.
      const self = await client.fetchQuery({ ...selfQuery, staleTime: 0 }).catch(() => undefined);
      setAdded({ key, credits, balance: self?.quota });
      void refresh(client, ledgerApi.ownList, logApi.ownList, logApi.list);
      return true;
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
      return false;
    }
  }

  return { redeem, busy, problem, added, forgetProblem: () => setProblem(undefined) };
}

/** Link to the shop for codes, or a note that none is configured. */
function BuyLink() {
  const { t } = useTranslation('topup');
  const site = useSite();
  if (!site) return null;
  if (!/^https?:\/\//i.test(site.top_up_link)) return t('noLink');
  return (
    <a
      href={site.top_up_link}
      target="_blank"
      rel="noopener noreferrer"
      className="touch text-accent underline underline-offset-2"
    >
      {t('buy')}
    </a>
  );
}
