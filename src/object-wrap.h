// node::ObjectWrap for ssh2's crypto add-on, compiled in place of Node's own header (src/postinstall.mjs): since Node 24.2x that one removes a
// clean-up hook in its destructor, which ends the process when the garbage is collected while no JavaScript runs, as in a read from a socket.
// This one adds no hook: what an add-on holds when the process ends goes with the process.
#ifndef SRC_NODE_OBJECT_WRAP_H_
#define SRC_NODE_OBJECT_WRAP_H_

#include <cassert>
#include "v8.h"

namespace node {

class ObjectWrap {
 public:
  ObjectWrap() = default;
  ObjectWrap(const ObjectWrap&) = delete;
  ObjectWrap& operator=(const ObjectWrap&) = delete;

  virtual ~ObjectWrap() {
    if (handle_.IsEmpty()) return;
    handle_.ClearWeak();
    handle_.Reset();
  }

  template <class T>
  static inline T* Unwrap(v8::Local<v8::Object> object) {
    assert(object->InternalFieldCount() > 0);
    return static_cast<T*>(static_cast<ObjectWrap*>(object->GetAlignedPointerFromInternalField(0)));
  }

 protected:
  inline void Wrap(v8::Local<v8::Object> object) {
    assert(handle_.IsEmpty() && object->InternalFieldCount() > 0);
    object->SetAlignedPointerInInternalField(0, this);
    handle_.Reset(v8::Isolate::GetCurrent(), object);
    handle_.SetWeak(this, Collected, v8::WeakCallbackType::kParameter);
  }

 private:
  static void Collected(const v8::WeakCallbackInfo<ObjectWrap>& info) {
    ObjectWrap* wrap = info.GetParameter();
    wrap->handle_.Reset();
    delete wrap;
  }

  v8::Persistent<v8::Object> handle_;
};

}  // namespace node

#endif  // SRC_NODE_OBJECT_WRAP_H_
