// task_rate.js - tasks per second of a job, and the time that is left
//
// The rate is that of the last half minute, computed from the counts that the page has read. A
// page that was just opened shows the average since the job was submitted.

import { duration, number } from '/assets/dom.js';

const LOOK_BACK_MS = 30000, LEAST_MS = 1000;
const counts = new Map(); // number of a job: [{at, ended}], oldest first

export function hasEnded(job) {
  return Boolean(job.ended_wall_ns) && job.ended_wall_ns !== '0';
}

function averageRate(job, ended) {
  const seconds = Date.now() / 1000 - Number(BigInt(job.submitted_wall_ns) / 1000000n) / 1000;
  return seconds > 1 ? ended / seconds : 0;
}

// Returns {rate, left}: texts, which are empty while nothing is known.
export function taskRate(job) {
  const ended = job.done + job.failed + job.cancelled, at = performance.now();
  if (hasEnded(job)) {
    counts.delete(job.job_id);
    return { rate: '', left: '' };
  }
  const mine = counts.get(job.job_id) ?? [];
  if (mine.at(-1)?.ended !== ended) mine.push({ at, ended });
  while (mine.length > 2 && at - mine[1].at > LOOK_BACK_MS) mine.shift();
  counts.set(job.job_id, mine);
  const seconds = (at - mine[0].at) / 1000;
  const isRecent = mine.length > 1 && at - mine[0].at >= LEAST_MS;
  const rate = isRecent ? (ended - mine[0].ended) / seconds : averageRate(job, ended);
  if (!(rate > 0)) return { rate: '', left: '' };
  const perSecond = rate >= 0.1 ? `${number(Number(rate.toPrecision(3)))} tasks/s` : `${number(Number((rate * 60).toPrecision(3)))} tasks/min`;
  return { rate: perSecond + (isRecent ? '' : ' on average'), left: `about ${duration((job.tasks - ended) / rate * 1000)}` };
}
