import { CircleCheck, Zap } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Button } from '#ui/basic/button.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { countDirty, EditDrawer } from '#ui/overlay/edit-drawer.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { contractResolver } from '#ui/form/form-resolver.ts';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { example, exampleValues, types } from './states-forms.tsx';
import { Line, Part } from './states-parts.tsx';

const Dialog = lazy(async () => ({ default: (await import('#ui/overlay/dialog.tsx')).Dialog }));
const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));
// The only exception to "screens do not import the app".
const Palette = lazy(async () => ({ default: (await import('#app/palette/palette.tsx')).Palette }));
const DetailDrawer = lazy(async () => ({ default: (await import('#ui/overlay/detail-drawer.tsx')).DetailDrawer }));

export function StatesOverlays() {
  const [open, setOpen] = useState('');
  const [row, setRow] = useState(1);
  const close = () => setOpen('');
  return (
    <Part title="Overlays">
      <Line>
        {['dialog', 'confirm', 'count', 'edit', 'saving', 'detail', 'palette'].map((each) => (
          <Button key={each} onClick={() => setOpen(each)}>
            Open {each}
          </Button>
        ))}
      </Line>
      <Suspense>
        {open === 'dialog' && (
          <Dialog
            title="Token prod-agent-2 is ready"
            text="Copy the key into your program."
            icon={CircleCheck}
            onClose={close}
            footer={(end) => <Button onClick={end}>Done</Button>}
          >
            The key stands here.
          </Dialog>
        )}
        {open === 'confirm' && (
          <Confirm
            title="Delete channel azure-eastus2-gpt4o?"
            text="3 models will have no channel left. Logs and charges stay."
            action="Delete channel"
            onConfirm={() => toast.success('Deleted')}
            onClose={close}
          />
        )}
        {open === 'count' && (
          <Confirm
            title="Delete 148 used redemption codes?"
            text="This cannot be undone."
            action="Delete 148 codes"
            typeCount={148}
            onConfirm={() => undefined}
            onClose={close}
          />
        )}
        {open === 'edit' && <EditExample onClose={close} />}
        {open === 'saving' && <EditExample busy onClose={close} />}
        {open === 'palette' && <Palette onKeys={close} onClose={close} />}
        {open === 'detail' && (
          <DetailDrawer
            title={`claude-sonnet-${row}`}
            subtitle={<Status kind="answered" />}
            tile={<OwnerTile name="Anthropic" size={32} />}
            onPrevious={row > 1 ? () => setRow(row - 1) : undefined}
            onNext={row < 9 ? () => setRow(row + 1) : undefined}
            footer={<Button>Open channel</Button>}
            onClose={close}
          >
            <DrawerSection title="Attempts">Row {row}</DrawerSection>
            <DrawerSection title="How the charge came about">17,156 = $0.034312</DrawerSection>
          </DetailDrawer>
        )}
      </Suspense>
    </Part>
  );
}

function EditExample({ busy = false, onClose }: { busy?: boolean; onClose: () => void }) {
  const { control, handleSubmit, formState } = useForm({
    resolver: contractResolver(example),
    defaultValues: exampleValues,
    mode: 'onBlur',
  });
  return (
    <EditDrawer
      title="Edit channel"
      subtitle={
        <>
          openai-us-east-primary #1 <Status kind="enabled" />
        </>
      }
      changes={countDirty(formState.dirtyFields)}
      // A saving drawer cannot be closed; this one can.
      busy={busy && formState.isDirty}
      onSave={handleSubmit(() => toast.success('Saved'))}
      extra={<Button icon={Zap}>Save and test</Button>}
      notice={<Note tone="ok">Tested 20 s ago: gpt-4o-mini answered in 842 ms</Note>}
      onClose={onClose}
    >
      <DrawerSection title="Connection" text="Provider and API key">
        <FormSelect control={control} name="type" label="Type" options={types} searchable />
        <FieldRow>
          <FormText control={control} name="name" label="Name" />
          <FormNumber control={control} name="weight" label="Weight" whole />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title="Models" text="24 models, fetched 2 hours ago">
        <FormChips control={control} name="models" label="Models" joined />
      </DrawerSection>
      <DrawerSection title="Advanced" text="Headers, proxy, pre-billing" folded>
        <FormText control={control} name="mapping" label="Model mapping" optional mono />
      </DrawerSection>
    </EditDrawer>
  );
}
