import type { AuditEntry } from '@cellhop/contract/staff/audit-log';
import { auditActions, subjectTypes } from '@cellhop/contract/staff/audit-log.values';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { splitSentence } from './split-sentence.ts';
import { subjectScreen } from './subject-screen.ts';

/** What happened, in words with links. Older releases may have recorded actions that this one does not know. */
export function Sentence({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('staffSystem');
  const { action } = entry;
  const known = oneOf(action, auditActions);
  const text = known === undefined ? t('log.unknown', { action }) : t(`sentences.${known}`);
  return (
    <>
      {splitSentence(text).map((part, index) => (
        // The parts of a sentence never move.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={index}>
          {part.kind === 'actor' ? (
            <Actor entry={entry} />
          ) : part.kind === 'user' ? (
            <User entry={entry} />
          ) : part.kind === 'subject' ? (
            <Subject entry={entry} text={part.text} />
          ) : (
            part.text
          )}
        </Fragment>
      ))}
    </>
  );
}

function Actor({ entry: { actor, ip } }: { entry: AuditEntry }) {
  const { t } = useTranslation('staffSystem');
  if (actor !== null) return <UserLink user={actor} />;
  // Only requests have an address.
  return t(ip === null ? 'log.operator' : 'log.somebody');
}

function User({ entry: { user } }: { entry: AuditEntry }) {
  const { t } = useTranslation('staffSystem');
  return user === null ? t('log.unknownUser') : <UserLink user={user} />;
}

function Subject({ entry: { subject }, text }: { entry: AuditEntry; text: string }) {
  const known = subject === null ? undefined : oneOf(subject.type, subjectTypes);
  const screen = known === undefined ? undefined : subjectScreen(known, subject?.id ?? null);
  return screen === undefined ? text : <Link {...screen}>{text}</Link>;
}
