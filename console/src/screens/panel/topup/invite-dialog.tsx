import { useTranslation } from '#i18n/use-translation.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { QrCode } from '#ui/basic/qr-code.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';

interface Props {
  link: string;
  onClose: () => void;
}

/** The invitation link as a QR code. */
export function InviteDialog({ link, onClose }: Props) {
  const { t } = useTranslation('invite');
  return (
    <Dialog title={t('title')} text={t('codeText')} width={440} onClose={onClose}>
      <div className="grid justify-items-center gap-5">
        <QrCode text={link} label={t('code')} size={224} />
        <div className="flex h-9 w-full items-center rounded-control border border-line2 bg-sunk pr-1 pl-2.5 max-sm:h-11">
          <input
            readOnly
            aria-label={t('link')}
            value={link}
            onFocus={(event) => event.target.select()}
            className="min-w-0 flex-1 truncate bg-transparent font-mono text-13 outline-none"
          />
          <CopyButton text={link} name={t('link')} />
        </div>
      </div>
    </Dialog>
  );
}
