import { useMutation } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useId, useRef, useState, type FormEvent } from 'react';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSite } from '#api/site.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Icon } from '#ui/basic/icon.tsx';

interface FormProps {
  action: string;
  /** Submits the typed code. */
  onCode: (code: string) => Promise<void>;
  onDone: () => void;
}

interface Props extends Omit<FormProps, 'onDone'> {
  title: string;
  onClose: () => void;
}

/** `WeChatForm` in a dialog that closes on success. Needs the texts `elsewhere`. */
export function WeChatDialog({ title, action, onCode, onClose }: Props) {
  const place = useRef<HTMLDivElement>(null);
  return (
    <Dialog title={title} width={400} initialFocus={() => place.current?.querySelector('input')} onClose={onClose}>
      {(close) => (
        <div ref={place}>
          <WeChatForm action={action} onCode={onCode} onDone={close} />
        </div>
      )}
    </Dialog>
  );
}

/** The QR code of a WeChat official account, and a field for the code that it replies. Needs the texts `elsewhere`. */
export function WeChatForm({ action, onCode, onDone }: FormProps) {
  const { t } = useTranslation('elsewhere');
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [missing, setMissing] = useState(false);
  const send = useMutation({
    mutationFn: onCode,
    meta: { quiet: true },
    onSuccess: onDone,
    onError: () => input.current?.select(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // React events bubble through the portal to the form around the dialog.
    event.stopPropagation();
    const code = input.current?.value.trim() ?? '';
    setMissing(code === '');
    if (code === '') input.current?.focus();
    else if (!send.isPending) send.mutate(code);
  };
  const wrong = missing ? t('codeMissing') : send.error?.message;
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
      <Picture />
      <div>
        <label htmlFor={id} className="mb-1.5 block text-13 font-title">
          {t('code')}
        </label>
        <input
          ref={input}
          id={id}
          maxLength={64}
          autoComplete="one-time-code"
          placeholder={t('codeHint')}
          aria-invalid={wrong !== undefined}
          aria-describedby={wrong === undefined ? undefined : `${id}-error`}
          className="box h-10 max-sm:h-11"
          onInput={() => {
            setMissing(false);
            send.reset();
          }}
        />
        {wrong !== undefined && (
          <p id={`${id}-error`} role="alert" className="mt-1.5 flex items-center gap-1.5 text-12 text-bad">
            <Icon of={TriangleAlert} size={14} />
            {wrong}
          </p>
        )}
      </div>
      <Button type="submit" variant="primary" size="lg" busy={send.isPending} className="w-full">
        {action}
      </Button>
    </form>
  );
}

function Picture() {
  const { t } = useTranslation('elsewhere');
  const picture = useSite()?.wechat_qrcode ?? '';
  const [broken, setBroken] = useState(false);
  return (
    <div className="flex flex-col items-center gap-3 text-center">
      {picture !== '' && !broken && (
        <img
          src={atBase(picture)}
          alt={t('picture')}
          referrerPolicy="no-referrer"
          className="max-h-75 max-w-full rounded-card border border-line bg-[#fff] p-3.5"
          onError={() => setBroken(true)}
        />
      )}
      <div>
        <p>{t(picture === '' || broken ? 'noPicture' : 'scan')}</p>
        <p className="mt-0.5 text-12 text-text3">{t('valid')}</p>
      </div>
    </div>
  );
}
