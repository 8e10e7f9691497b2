// Comments that a person writes, kept in this browser until they are sent: a reload or a closed tab loses nothing.

import { create, type StoreApi, type UseBoundStore } from 'zustand';
import { newId } from '@/lib/id';
import { remember, remembered } from '@/lib/storage';
import type { Comment, CommentPlace } from '@/model/comments/comments';

/** The comment that is being written; `editing` names the one that it replaces. */
export type Draft = { place: CommentPlace; text: string; editing: string | null };

export type Review = { comments: Comment[]; draft: Draft | null; note: string };

export type ReviewKey = `${'plan' | 'diff'}.${string}`;

const empty: Review = { comments: [], draft: null, note: '' };

function isReview(value: unknown): value is Review {
  if (typeof value !== 'object' || value === null) return false;
  if (!('comments' in value) || !Array.isArray(value.comments)) return false;
  if (!('note' in value) || typeof value.note !== 'string' || !('draft' in value)) return false;
  return (
    value.comments.every(isComment) &&
    (value.draft === null || (isPlaced(value.draft) && 'editing' in value.draft))
  );
}

/** What another version, or another program, has left here is not taken for a comment. */
function isPlaced(value: unknown): value is { place: CommentPlace; text: string } {
  if (typeof value !== 'object' || value === null) return false;
  if (!('text' in value) || typeof value.text !== 'string' || !('place' in value)) return false;
  const { place } = value;
  if (typeof place !== 'object' || place === null || !('kind' in place)) return false;
  if (place.kind === 'plan') return 'start' in place && typeof place.start === 'number';
  return place.kind === 'diff' && 'path' in place && typeof place.path === 'string';
}

function isComment(value: unknown): boolean {
  return isPlaced(value) && 'id' in value && typeof value.id === 'string' && 'sentAt' in value;
}

const stores = new Map<ReviewKey, UseBoundStore<StoreApi<Review>>>();

function storeOf(key: ReviewKey): UseBoundStore<StoreApi<Review>> {
  const known = stores.get(key);
  if (known) return known;
  const name = `review.${key}`;
  const store = create<Review>(() => remembered(name, isReview, empty));
  store.subscribe((review) => remember(name, review));
  // Two tabs agree.
  window.addEventListener('storage', (event) => {
    if (event.key?.endsWith(name)) store.setState(remembered(name, isReview, empty));
  });
  stores.set(key, store);
  return store;
}

export const useReview = (key: ReviewKey): Review => storeOf(key)();

export const unsent = ({ comments }: Review) => comments.filter(({ sentAt }) => sentAt === null);

export function startComment(key: ReviewKey, place: CommentPlace): void {
  storeOf(key).setState({ draft: { place, text: '', editing: null } });
}

export function editComment(key: ReviewKey, { id, place, text }: Comment): void {
  storeOf(key).setState({ draft: { place, text, editing: id } });
}

export function writeDraft(key: ReviewKey, text: string): void {
  storeOf(key).setState(({ draft }) => ({ draft: draft && { ...draft, text } }));
}

export const dropDraft = (key: ReviewKey) => storeOf(key).setState({ draft: null });

/** Opens a dropped comment again. One that is being written meanwhile is kept as a comment. */
export function restoreDraft(key: ReviewKey, draft: Draft): void {
  keepDraft(key);
  storeOf(key).setState({ draft });
}

export const writeNote = (key: ReviewKey, note: string) => storeOf(key).setState({ note });

/** The draft becomes a comment. Nothing written is no comment. */
export function keepDraft(key: ReviewKey): void {
  storeOf(key).setState(({ draft, comments }) => {
    const text = draft?.text.trim() ?? '';
    if (!draft || text === '') return { draft: null };
    if (draft.editing !== null)
      return {
        draft: null,
        comments: comments.map((one) => (one.id === draft.editing ? { ...one, text } : one)),
      };
    const at = new Date().toISOString();
    const comment: Comment = {
      id: newId(),
      place: draft.place,
      text,
      at,
      sentAt: null,
    };
    return { draft: null, comments: [...comments, comment] };
  });
}

export function removeComment(key: ReviewKey, id: string): Comment | undefined {
  const store = storeOf(key);
  const gone = store.getState().comments.find((one) => one.id === id);
  store.setState(({ comments }) => ({ comments: comments.filter((one) => one.id !== id) }));
  return gone;
}

export function restoreComment(key: ReviewKey, comment: Comment): void {
  storeOf(key).setState(({ comments }) => ({ comments: [...comments, comment] }));
}

/** They went out: they stay to be read, and cannot be changed. */
export function markSent(key: ReviewKey): void {
  const sentAt = new Date().toISOString();
  storeOf(key).setState(({ comments }) => ({
    note: '',
    comments: comments.map((one) => (one.sentAt === null ? { ...one, sentAt } : one)),
  }));
}

export function removeSent(key: ReviewKey): void {
  storeOf(key).setState(({ comments }) => ({
    comments: comments.filter(({ sentAt }) => sentAt === null),
  }));
}
