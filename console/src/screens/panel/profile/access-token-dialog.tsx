import { CircleCheck } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress } from '#api/site.ts';
import { Button } from '#ui/basic/button.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Secret } from '#ui/form/secret.tsx';

interface Props {
  token: string;
  /** Left out: those of the access token. */
  name?: string;
  title?: string;
  onClose: () => void;
}

/** A new access token or access key, shown only once, with an example call. */
export function AccessTokenDialog({ token, name, title, onClose }: Props) {
  const { t } = useTranslation('profile');
  const copyButton = useRef<HTMLButtonElement>(null);
  const address = useServerAddress();
  const masked = `${token.slice(0, 4)}••••••••${token.slice(-4)}`;
  const example = (key: string) => `curl ${address}/api/user/self \\\n  -H 'Authorization: ${key}'`;
  return (
    <Dialog
      title={title ?? t('readyTitle')}
      text={t('readyText')}
      icon={CircleCheck}
      initialFocus={copyButton}
      onClose={onClose}
      footer={(close) => <Button onClick={close}>{t('done')}</Button>}
    >
      <div className="grid grid-cols-1 gap-3">
        <Secret
          boxed
          masked={masked}
          load={() => Promise.resolve(token)}
          name={name ?? t('accessToken')}
          copyWords={t('copyToken')}
          copyRef={copyButton}
        />
        <CodeBlock code={example(masked)} copy={example(token)} label={t('readyExample')} />
      </div>
    </Dialog>
  );
}
