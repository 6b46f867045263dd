import type { Task, TaskMedia } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { Ban, Download, ExternalLink, Copy, ReceiptText } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { fileName, fullAddress } from '#screens/panel/task/media/media-address.ts';

interface Props {
  task: Task;
  /** The file that the buttons are about. */
  file: TaskMedia | undefined;
  onCancel: (task: Task) => void;
}

/** Footer of an open task: its charge in the log, its file, cancel. */
export function TaskFooter({ task, file, onCancel }: Props) {
  const { t } = useTranslation('taskDetail');
  return (
    <>
      {task.cancellable && (
        <Button icon={Ban} saves className="mr-auto" onClick={() => onCancel(task)}>
          {t('cancel')}
        </Button>
      )}
      {file && <FileButtons file={file} />}
      {task.request_id !== '' && (
        <Button icon={ReceiptText} render={<Link to="/panel/log" search={{ request_id: task.request_id }} />}>
          {t('inLog')}
        </Button>
      )}
      {file && (
        <Button icon={Download} render={<a href={file.url} download={fileName(task, file)} />}>
          {t('download')}
        </Button>
      )}
    </>
  );
}

function FileButtons({ file: { url } }: { file: TaskMedia }) {
  const { t } = useTranslation('taskDetail');
  return (
    <span className="mr-auto -ml-2 inline-flex max-sm:ml-0 max-sm:flex-none!">
      <IconButton label={t('copyAddress')} icon={Copy} onClick={() => void copyText(fullAddress(url), t('address'))} />
      <IconButton label={t('openTab')} icon={ExternalLink} render={<a href={url} target="_blank" rel="noreferrer" />} />
    </span>
  );
}
