// What Qt's moc is to read.
#pragma once
#include <QObject>

class Emitter : public QObject {
    Q_OBJECT
  Q_SIGNALS:
    void posted(const void *info);
};
