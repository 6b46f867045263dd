import { totpApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useId, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Field } from '#ui/form/field.tsx';
import { QrCode } from '#ui/basic/qr-code.tsx';

interface Props {
  seed: { secret: string; uri: string };
  onEnabled: (codes: string[]) => void;
  onClose: () => void;
}

const inFours = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret;

/** Shows the secret for an authenticator app and verifies its first code. */
export function TotpDialog({ seed, onEnabled, onClose }: Props) {
  const { t } = useTranslation('secondFactor');
  const form = useId();
  const input = useRef<HTMLInputElement>(null);
  const [missing, setMissing] = useState(false);
  const enable = useMutation({
    mutationFn: (code: string) => call(totpApi.enable, { body: { code } }),
    meta: { quiet: true },
    gcTime: 0,
    onSuccess: ({ recovery_codes: codes }) => onEnabled(codes),
    onError: () => input.current?.select(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const code = input.current?.value.replace(/\s/g, '') ?? '';
    const whole = /^\d{6}$/.test(code);
    setMissing(!whole);
    if (!whole) input.current?.focus();
    else if (!enable.isPending) enable.mutate(code);
  };
  return (
    <Dialog
      title={t('setupTitle')}
      text={t('setupScan')}
      icon={ShieldCheck}
      iconTone="text-accent"
      initialFocus={input}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button variant="ghost" onClick={close}>
            {t('cancel')}
          </Button>
          <Button type="submit" form={form} variant="primary" busy={enable.isPending}>
            {t('setupEnable')}
          </Button>
        </>
      )}
    >
      <form
        id={form}
        noValidate
        onSubmit={submit}
        className="flex items-start gap-5 max-sm:flex-col max-sm:items-center"
      >
        <QrCode text={seed.uri} label={t('setupQr')} />
        <div className="grid w-full min-w-0 flex-1 gap-4">
          <div>
            <p className="text-13 text-text2">{t('setupManual')}</p>
            <div className="mt-1.5 flex items-center gap-1 rounded-control border border-line2 bg-sunk py-1.5 pr-1 pl-2.5">
              <span className="min-w-0 flex-1 font-mono text-12 break-words select-all">{inFours(seed.secret)}</span>
              <CopyButton text={seed.secret} name={t('setupSecret')} />
            </div>
          </div>
          <Field label={t('setupCode')} error={missing ? t('setupCodeMissing') : enable.error?.message}>
            {(aria) => (
              <input
                {...aria}
                ref={input}
                className="box font-mono tracking-widest"
                inputMode="numeric"
                autoComplete="one-time-code"
                maxLength={7}
                onInput={() => setMissing(false)}
              />
            )}
          </Field>
        </div>
      </form>
    </Dialog>
  );
}
